// The same function with different arguments: not alike. Who writes last shows: 2 executions.
//@ expect: verified
//@ executions: 2
//@ args: --reductions=symmetry
//@ outcomes: last=1 *1 | last=2 *1
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int last;

static void *write_number(void *number) {
    last = (int)(intptr_t)number;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, write_number, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    dpor_observe("last", last);
    return 0;
}
