// Locks that are none, and races of looks.
// Relaxed: nothing orders the critical sections. Torn: the test and the set are two accesses. Kept: a thread does not give the lock
// back, and the other one waits for ever; it may also come first: one complete execution. Plain: a plain store is no
// store for a spinning thread. Hidden: the look that succeeds is ordered after the plain store by the atomic one that
// it reads, but a look in vain is not.
//@ revisions: relaxed torn kept plain hidden
//@ expect: bug
//@ opt: O0 O2
//@[relaxed] cflags: -DORDER=memory_order_relaxed
//@[relaxed] kind: data-race
//@[torn] cflags: -DTORN
//@[torn] kind: data-race
//@[kept] cflags: -DKEPT
//@[kept] kind: livelock
//@[kept] args: --keep-going
//@[kept] executions: 1
//@[kept] deadlocked: 1
//@[plain] cflags: -DPLAIN
//@[plain] kind: data-race
//@[hidden] cflags: -DPLAIN -DHIDDEN
//@[hidden] kind: data-race
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif

static atomic_int word;
static int shared;

#ifdef PLAIN
static void *work(void *me) {
    if (me) {
#ifdef HIDDEN
        *(int *)&word = 2;
        atomic_store(&word, 1);
#else
        *(int *)&word = 1;
#endif
    } else {
        while (atomic_load(&word) != 1) {
        }
    }
    return NULL;
}
#else
static void *work(void *me) {
#ifdef TORN
    while (atomic_load(&word)) {
    }
    atomic_store(&word, 1);
#else
    while (atomic_exchange_explicit(&word, 1, ORDER)) {
        __builtin_ia32_pause();
    }
#endif
    shared++;
#ifdef KEPT
    if (me) return NULL;
#endif
    atomic_store_explicit(&word, 0, ORDER);
    return NULL;
}
#endif

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, &shared);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
