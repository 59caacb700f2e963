// Code without instrumentation stores to what a loop looks at. No event says so, so that no other order is explored for it:
// the search begins anew with every turn, and the loop waits until the place changes. Nothing else
// meets the looks: 1 execution, in which all threads end, by hand.
//@ expect: verified
//@ revisions: left waited
//@ opt: O0 O2
//@ executions: 1
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
    while (!(atomic_load(&x) == 1 || atomic_load(&y) == 1)) {
    }
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
