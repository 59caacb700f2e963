// Sections of 200,000 writes each, twice in each thread: more changes between events than the race detector
// remembers one by one. The orders of the sections: 4! / (2! 2!) = 6 executions.
//@ expect: verified
//@ executions: 6
//@ outcomes: order=3 | order=5 | order=6 | order=9 | order=10 | order=12
#include <dpor.h>
#include <pthread.h>

#define WORDS 200000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long words[2][WORDS];
static int order;

static void *fill(void *argument) {
    long me = (long)argument;
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&mutex);
        order = order * 2 + (int)me;
        for (int k = 0; k < WORDS; k++) words[me][k] += k;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (long k = 0; k < 2; k++) pthread_create(&threads[k], 0, fill, (void *)k);
    for (int k = 0; k < 2; k++) pthread_join(threads[k], 0);
    dpor_assert(words[0][WORDS - 1] == 2 * (WORDS - 1) && words[1][1] == 2);
    dpor_observe("order", order);
    return 0;
}
