// Eight writers of one atomic and a reader. The reader sees 0, and then all writers come after it: 1. Or
// it sees one of the eight, and each of the other seven is either before that one, in whatever order,
// or after the reader: 8 * 2^7. Together 1,025 of the 9! = 362,880 orders.
//@ expect: verified
//@ executions: 1025
//@ args: --reductions=observers
//@ outcomes: seen=0 *1 | seen=1 *128 | seen=2 *128 | seen=3 *128 | seen=4 *128 | seen=5 *128 | seen=6 *128 | seen=7 *128 | seen=8 *128
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int x;

static void *write_it(void *number) {
    atomic_store(&x, (int)(intptr_t)number + 1);
    return 0;
}

static void *read_it(void *unused) {
    (void)unused;
    dpor_observe("seen", atomic_load(&x));
    return 0;
}

int main(void) {
    pthread_t threads[9];
    for (intptr_t i = 0; i < 8; i++) pthread_create(&threads[i], 0, write_it, (void *)i);
    pthread_create(&threads[8], 0, read_it, 0);
    for (int i = 0; i < 9; i++) pthread_join(threads[i], 0);
    return 0;
}
