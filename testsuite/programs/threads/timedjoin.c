// Joins with a time limit wait like any other as long as the thread can go on: 1 execution. A time that
// is none, or a clock that is none, is an error, and the thread is not joined by it.
//@ args: --timeouts=none
//@ expect: verified
//@ executions: 1
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static void *work(void *argument) {
    return argument;
}

int main(void) {
    pthread_t threads[2];
    void *result;
    struct timespec until = {0, 1000000000};
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)i);
    dpor_assert(pthread_timedjoin_np(threads[0], 0, &until) == EINVAL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    dpor_assert(pthread_timedjoin_np(threads[0], &result, &until) == 0 && result == (void *)0);
    dpor_assert(pthread_clockjoin_np(threads[1], &result, 99, &until) == EINVAL);
    dpor_assert(pthread_clockjoin_np(threads[1], &result, CLOCK_MONOTONIC, &until) == 0);
    dpor_assert(result == (void *)1);
    return 0;
}
