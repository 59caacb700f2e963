// A thread that waits looks at any moment, and each look is an access: it races with a plain store that nothing orders
// before or behind it, whether the look is in vain or passes, and also if no look ever passes.
//
// Wrong ones. Load, volatile: 1 is plain, and 3 lets the waiter go on; 0 does too, so that where it comes first no
// look is in vain. Byte: the plain store is to a byte of the word. Owner: who has the lock marks its word; the other's
// compare-exchange reads it. Reader: who has the lock reads its word plainly, and the other's exchange writes it.
// Blocked: 7 never comes; one execution, a livelock. Hidden: b's store with release order tells the look that reads it
// of the plain one, but a look that comes before does not hear of it. Relaxed: c stores 3 in relaxed order, which tells
// nothing, and b's plain store is known to the waiter only in other orders. Turns: a turn looks at two cells.
// Beside: as hidden, with both places in the same eight bytes; b's store to the other one tells who waits nothing.
// Futex: the kernel's look at the word.
//
// Right ones. Told: whoever read `other` finds at least b's first release store in the word; looks read that or the
// second one, which b made as well. Two executions: `other` is read before or after it is written. Published: the plain store
// comes before the release store that the waiter has seen when it comes to the word: one execution, as each wait
// passes with one store. Places: the second place is looked at only when the first has passed, which tells of all. The
// first look at the first place is after the store that lets it pass: one execution; or before it, and the thread goes
// no further behind that turn: one is blocked. Counted by brute force, too:
// testsuite/tests/suite/waiting_for_others.rs.
//@ revisions: load classic none explore volatile byte owner reader blocked hidden beside relaxed turns futex told told_beside published places
//@ opt: O0 O2
//@[load] expect: bug
//@[load] kind: data-race
//@[load] cflags: -DWAIT=atomic_load(&word)==1
//@[classic] expect: bug
//@[classic] kind: data-race
//@[classic] cflags: -DWAIT=atomic_load(&word)==1
//@[classic] args: --search=classic
//@[none] expect: bug
//@[none] kind: data-race
//@[none] cflags: -DWAIT=atomic_load(&word)==1
//@[none] args: --reductions=none
//@[explore] expect: bug
//@[explore] kind: data-race
//@[explore] cflags: -DWAIT=atomic_load(&word)==1
//@[explore] args: --plain=explore
//@[volatile] expect: bug
//@[volatile] kind: data-race
//@[volatile] cflags: -DVOLATILE -DWAIT=*at==1
//@[byte] expect: bug
//@[byte] kind: data-race
//@[byte] cflags: -DWAIT=atomic_load(&word)==256 -DBYTE
//@[owner] expect: bug
//@[owner] kind: data-race
//@[owner] cflags: -DOWNER
//@[reader] expect: bug
//@[reader] kind: data-race
//@[reader] cflags: -DREADER
//@[blocked] expect: bug
//@[blocked] kind: data-race livelock
//@[blocked] args: -k
//@[blocked] executions: 0
//@[blocked] deadlocked: 1
//@[blocked] cflags: -DWAIT=atomic_load(&word)!=7
//@[hidden] expect: bug
//@[hidden] kind: data-race
//@[hidden] cflags: -DHIDDEN
//@[beside] expect: bug
//@[beside] kind: data-race
//@[beside] cflags: -DHIDDEN -DBESIDE
//@[relaxed] expect: bug
//@[relaxed] kind: data-race
//@[relaxed] cflags: -DRELAXED
//@[turns] expect: bug
//@[turns] kind: data-race
//@[turns] cflags: -DWAIT=atomic_load(&word)==1||atomic_load(&other)
//@[futex] expect: bug
//@[futex] kind: data-race
//@[futex] cflags: -DFUTEX
//@[told] expect: verified
//@[told] executions: 2
//@[told] cflags: -DTOLD
//@[told_beside] expect: verified
//@[told_beside] executions: 2
//@[told_beside] cflags: -DTOLD -DBESIDE
//@[published] expect: verified
//@[published] executions: 1
//@[published] cflags: -DPUBLISHED
//@[places] expect: verified
//@[places] executions: 1
//@[places] blocked: 1
//@[places] cflags: -DPLACES
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STORE(cell, value, order) atomic_store_explicit(&cell, value, memory_order_##order)
#define LOAD(cell, order) atomic_load_explicit(&cell, memory_order_##order)
#define PLAIN(cell) (*(int *)&cell)

#ifdef BESIDE
static struct {
    _Alignas(8) _Atomic int first;
    _Atomic int second;
} places;
#define word places.first
#define other places.second
#else
static _Atomic int word, other;
#endif
static int shared;

#if defined OWNER
static void *a(void *me) {
    for (int free = 0; !atomic_compare_exchange_strong(&word, &free, 1); free = 0) {
    }
    PLAIN(word) = 2;
    shared++;
    atomic_store(&word, 0);
    return me;
}
#elif defined READER
static void *a(void *me) {
    while (atomic_exchange(&word, 1)) {
    }
    if (PLAIN(word) != 1) abort();
    shared++;
    atomic_store(&word, 0);
    return me;
}
#elif defined HIDDEN || defined TOLD
static void *a(void *me) {
    if (LOAD(other, relaxed)) {
        while (LOAD(word, acquire) != 3) {
        }
    }
    return me;
}
#elif defined RELAXED
static void *a(void *me) {
    if (LOAD(other, relaxed)) {
        while (LOAD(word, acquire) != 4) {
        }
    }
    return me;
}
static void *c(void *me) {
    while (LOAD(word, acquire) != 2) {
    }
    STORE(word, 3, relaxed);
    STORE(word, 4, release);
    return me;
}
#elif defined FUTEX
static void *a(void *me) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    return me;
}
#elif defined PUBLISHED
static void *a(void *me) {
    while (!LOAD(other, acquire)) {
    }
    while (LOAD(word, acquire)) {
    }
    return me;
}
#elif defined PLACES
static void *a(void *me) {
    while (!LOAD(other, acquire) || LOAD(word, relaxed) == 1) {
    }
    return me;
}
#else
static void *a(void *me) {
#ifdef VOLATILE
    volatile int *at = (volatile int *)&word;
#endif
    while (WAIT) {
    }
    return me;
}
#endif

#if defined HIDDEN
static void *b(void *me) {
    PLAIN(word) = 1;
    STORE(other, 1, relaxed);
    STORE(word, 2, release);
    STORE(word, 3, release);
    return me;
}
#elif defined TOLD
static void *b(void *me) {
    PLAIN(word) = 1;
    STORE(word, 2, release);
    STORE(other, 1, relaxed);
    STORE(word, 3, release);
    return me;
}
#elif defined RELAXED
static void *b(void *me) {
    PLAIN(word) = 1;
    STORE(word, 2, release);
    STORE(other, 1, relaxed);
    return me;
}
#elif defined PUBLISHED
static void *b(void *me) {
    PLAIN(word) = 1;
    STORE(other, 1, release);
    STORE(word, 0, release);
    return me;
}
#elif defined PLACES
static void *b(void *me) {
    PLAIN(word) = 2;
    STORE(other, 1, release);
    return me;
}
#elif !defined OWNER && !defined READER
static void *b(void *me) {
#ifdef BYTE
    ((char *)&word)[1] = 1;
#else
    PLAIN(word) = 1;
#endif
    atomic_exchange(&word, 3);
    return me;
}
#endif

int main(void) {
    pthread_t threads[3];
    int count = 2;
    pthread_create(&threads[0], NULL, a, NULL);
#if defined OWNER || defined READER
    pthread_create(&threads[1], NULL, a, NULL);
#else
    pthread_create(&threads[1], NULL, b, NULL);
#endif
#ifdef RELAXED
    pthread_create(&threads[count++], NULL, c, NULL);
#endif
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    return 0;
}
