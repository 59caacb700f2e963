// Timers of processor time tell what they were set to; those that would only end the process never expire, and
// hide no deadlock.
//@ expect: bug
//@ kind: deadlock
//@ revisions: never any
//@[any] args: --timeouts
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    struct itimerval timer = {{0, 250000}, {1, 0}}, told = {{9, 9}, {9, 9}};
    dpor_assert(setitimer(7, &timer, 0) == -1 && errno == EINVAL);
    dpor_assert(getitimer(ITIMER_VIRTUAL, &told) == 0 && told.it_value.tv_sec == 0);
    dpor_assert(setitimer(ITIMER_VIRTUAL, &timer, 0) == 0 && setitimer(ITIMER_PROF, &timer, 0) == 0);
    dpor_assert(setitimer(ITIMER_VIRTUAL, &timer, &told) == 0);
    dpor_assert(told.it_value.tv_sec == 1 && told.it_interval.tv_usec == 250000);
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
