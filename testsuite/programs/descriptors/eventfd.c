// Two threads add to an event counter; main reads once, which waits until it is not 0, and then
// takes all. Read between the two additions: 1 or 2, each thread first; after both: 3 in two orders.
// Orders of A, B and R with R not first: A R B, B R A, A B R, B A R. 4 executions.
//@ expect: verified
//@ executions: 4
//@ outcomes: got=1 *1 | got=2 *1 | got=3 *2
#include <dpor.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int counter;

static void *add(void *value) {
    uint64_t n = (uintptr_t)value;
    dpor_assert(write(counter, &n, 8) == 8);
    return 0;
}

int main(void) {
    pthread_t a, b;
    uint64_t got = 0;
    counter = eventfd(0, 0);
    pthread_create(&a, 0, add, (void *)1);
    pthread_create(&b, 0, add, (void *)2);
    dpor_assert(read(counter, &got, 8) == 8);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("got", got);
    return 0;
}
