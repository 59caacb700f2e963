// Two threads of N iterations of integer work, and then one fetch_add each: two orders of these.
// What is measured is that the work runs as fast as without the checker.
//@ expect: verified
//@ executions: 2
//@ cflags: -DN=200000
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_ulong sum;

static void *work(void *seed) {
    uint64_t x = (uintptr_t)seed;
    // Xorshift (Marsaglia 2003): each step needs the one before.
    for (long i = 0; i < N; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    atomic_fetch_add(&sum, x);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)1);
    pthread_create(&b, 0, work, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return atomic_load(&sum) == 0;
}
