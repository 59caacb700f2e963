// Two threads end, main asks each once, in order. Each question comes before or after the end it is
// about, and the two ends are independent of each other: 2 * 2.
//@ expect: verified
//@ executions: 4
//@ outcomes: a=0 b=0 *1 | a=0 b=1 *1 | a=1 b=0 *1 | a=1 b=1 *1
#define _GNU_SOURCE
#include <dpor.h>
#include <pthread.h>

static void *work(void *argument) {
    return argument;
}

int main(void) {
    pthread_t threads[2];
    int ended[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++) ended[i] = pthread_tryjoin_np(threads[i], 0) == 0;
    for (int i = 0; i < 2; i++)
        if (!ended[i]) pthread_join(threads[i], 0);
    dpor_observe("a", ended[0]);
    dpor_observe("b", ended[1]);
    return 0;
}
