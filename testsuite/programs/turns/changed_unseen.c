// Code without instrumentation stores to what a loop looks at. No event says so, so that no other order is explored for it:
// the search begins anew with every turn, and the loop waits until the place changes. Nothing else
// meets the looks: 1 execution, in which all threads end, by hand.
// Retried: such a store makes a compare-exchange fail that is tried again with what it found. Who tries looks at z first,
// finds 0, 1 or 2, and tries only behind 0. No event on x is anybody else's: 3 executions, in which all threads end.
//@ expect: verified
//@ revisions: left waited retried
//@ opt: O0 O2
//@[left] executions: 1
//@[waited] executions: 1
//@[retried] cflags: -DRETRIED
//@[retried] executions: 3
//@[waited] args: --reductions=none,every-turn
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y, z;

__attribute__((noinline, disable_sanitizer_instrumentation)) static void hidden(void) {
    *(volatile int *)&x = 1;
}

static void *set(void *unused) {
    atomic_store(&z, 1);
    hidden();
    atomic_store(&z, 2);
    return unused;
}

static void *wait(void *unused) {
#ifdef RETRIED
    if (atomic_load(&z) != 0) return unused;
    int e = atomic_load(&x);
    while (!atomic_compare_exchange_strong(&x, &e, e + 100)) {
    }
#else
    while (!(atomic_load(&x) == 1 || atomic_load(&y) == 1)) {
    }
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, wait, NULL);
    pthread_create(&b, NULL, set, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
