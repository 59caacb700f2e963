// Four sleeps are four cancellation points: the request comes before one of them or after all: 5.
//@ expect: verified
//@ executions: 5
//@ outcomes: cancelled=1 *4 | cancelled=0 *1
#include <dpor.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static void *work(void *unused) {
    struct timespec tick = {0, 1000};
    sleep(1);
    usleep(1);
    nanosleep(&tick, 0);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &tick, 0);
    pthread_exit(unused);
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    return 0;
}
