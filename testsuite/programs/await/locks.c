// Locks that spin, in loops that only look: every lock of n threads that each take it once is n! executions, one
// for each order of the critical sections.
// Ticket: the order in which the tickets are drawn is the order of everything; ticket k waits for the store of k.
// Test-and-set, by exchange, flag, bit or compare-exchange: what would be stored again is not; the word says who
// is next, and the accesses to it alternate, taken and given back.
// CLH: the order of the exchanges of the tail; who comes later waits for the store of the one before it.
//@ revisions: ticket ticket4 ticket7 yield tas flag bit cas weak clh clh2 reduced classic alike dfs
//@ expect: verified
//@ opt: O0 O2
//@[ticket] cflags: -DTICKET
//@[ticket] executions: 6
//@[ticket] smoke: yes
//@[ticket4] cflags: -DTICKET -DTHREADS=4
//@[ticket4] executions: 24
//@[ticket7] cflags: -DTICKET=7
//@[ticket7] executions: 5040
//@[yield] cflags: -DTICKET -DHINT=sched_yield()
//@[yield] executions: 6
//@[tas] cflags: -DTAS
//@[tas] executions: 6
//@[flag] cflags: -DFLAG
//@[flag] executions: 6
//@[bit] cflags: -DBIT
//@[bit] executions: 6
//@[cas] cflags: -DCAS
//@[cas] executions: 6
//@[weak] cflags: -DWEAK
//@[weak] executions: 6
//@[clh] cflags: -DCLH
//@[clh] executions: 6
//@[clh2] cflags: -DCLH -DTHREADS=2 -DHINT=
//@[clh2] executions: 2
//@[reduced] cflags: -DTICKET
//@[reduced] args: --reductions=commute,observers
//@[reduced] executions: 6
//@[classic] cflags: -DTICKET -DTHREADS=2
//@[classic] args: --search=classic
// Nobody can tell the threads apart: 1 of the n! orders.
//@[alike] cflags: -DTICKET -DTHREADS=4
//@[alike] args: --reductions=commute,observers,symmetry
//@[alike] executions: 1
//@[dfs] cflags: -DTAS -DTHREADS=2
//@[dfs] dfs: same-outcomes
//@[dfs] executions: 2
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef THREADS
#if defined TICKET && TICKET > 1
#define THREADS TICKET
#else
#define THREADS 3
#endif
#endif
#ifndef HINT
#define HINT __builtin_ia32_pause()
#endif

static int shared;
static _Thread_local unsigned number;

#if defined TICKET
static atomic_uint next, serving;
static unsigned lock(void) {
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine) {
        HINT;
    }
    return mine;
}
static void unlock(unsigned mine) {
    atomic_store_explicit(&serving, mine + 1, memory_order_release);
}
#elif defined CLH
struct node {
    atomic_int locked;
};
static struct node nodes[THREADS + 1];
static _Atomic(struct node *) tail = &nodes[THREADS];
static unsigned lock(void) {
    unsigned me = number;
    atomic_store(&nodes[me].locked, 1);
    struct node *before = atomic_exchange(&tail, &nodes[me]);
    while (atomic_load(&before->locked)) {
        HINT;
    }
    return me;
}
static void unlock(unsigned me) { atomic_store(&nodes[me].locked, 0); }
#else
static atomic_int word;
static atomic_flag held = ATOMIC_FLAG_INIT;
static unsigned lock(void) {
#if defined TAS
    while (atomic_exchange_explicit(&word, 1, memory_order_acquire)) {
        HINT;
    }
#elif defined FLAG
    while (atomic_flag_test_and_set(&held)) {
    }
#elif defined BIT
    while (atomic_fetch_or(&word, 4) & 4) {
        HINT;
    }
#elif defined CAS
    int free = 0;
    while (!atomic_compare_exchange_strong(&word, &free, 1)) {
        free = 0;
        HINT;
    }
#elif defined WEAK
    int free;
    do {
        free = 0;
    } while (!atomic_compare_exchange_weak_explicit(&word, &free, 1, memory_order_acquire, memory_order_relaxed));
#endif
    return 0;
}
static void unlock(unsigned unused) {
    (void)unused;
#if defined FLAG
    atomic_flag_clear(&held);
#elif defined BIT
    atomic_fetch_and(&word, ~4);
#else
    atomic_store_explicit(&word, 0, memory_order_release);
#endif
}
#endif

static void *work(void *nth) {
#ifdef CLH
    number = (unsigned)(size_t)nth;
#endif
    unsigned mine = lock();
    shared++;
    unlock(mine);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
#ifdef CLH
    for (size_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
#else
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
#endif
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return shared == THREADS ? 0 : 1;
}
