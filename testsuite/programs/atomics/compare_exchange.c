// Three threads try to be first. One wins; the failed tries of the others only read, so their
// order does not matter: 3 traces, one per winner.
//@ expect: verified
//@ executions: 3
//@ outcomes: winner=1 *1 | winner=2 *1 | winner=3 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int first;

static void *claim(void *number) {
    int none = 0;
    atomic_compare_exchange_strong(&first, &none, (int)(intptr_t)number);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (intptr_t i = 0; i < 3; i++) pthread_create(&threads[i], 0, claim, (void *)(i + 1));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    dpor_observe("winner", atomic_load(&first));
    return 0;
}
