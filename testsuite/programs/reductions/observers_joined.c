// Three threads write one variable with atomic stores; main joins them and reads it without an event.
// The last write is seen, so each of the three may be last, and the order of the other two is nobody's
// business: 3 executions of 3! orders.
//@ expect: verified
//@ executions: 3
//@ args: --reductions=observers
//@ outcomes: last=1 *1 | last=2 *1 | last=3 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdint.h>

static int x;

static void *write_it(void *number) {
    __atomic_store_n(&x, (int)(intptr_t)number, __ATOMIC_RELEASE);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (intptr_t i = 0; i < 3; i++) pthread_create(&threads[i], 0, write_it, (void *)(i + 1));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    dpor_observe("last", x);
    return 0;
}
