// A timer with an interval ends three pauses, each when nothing else can go on: 1. A timer that is armed
// when main returns does not expire any more.
//@ args: --timeouts=none
//@ revisions: disarmed armed
//@ expect: verified
//@ executions: 1
//@[disarmed] cflags: -DDISARMS=1
//@[armed] cflags: -DDISARMS=0
//@ outcomes: ran=3 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static int ran;

static void handler(int signal) {
    (void)signal;
    ran++;
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    struct itimerval timer = {{2, 0}, {1, 500000}}, told;
    signal(SIGALRM, handler);
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    dpor_assert(setitimer(ITIMER_REAL, &timer, 0) == 0);
    dpor_assert(getitimer(ITIMER_REAL, &told) == 0);
    dpor_assert(told.it_interval.tv_sec == 2 && told.it_value.tv_sec == 1);
    for (int i = 0; i < 3; i++) pause();
    timer.it_value.tv_sec = timer.it_value.tv_usec = 0;
    if (DISARMS) dpor_assert(setitimer(ITIMER_REAL, &timer, &told) == 0 && told.it_interval.tv_sec == 2);
    timer.it_value.tv_usec = 1000000;
    dpor_assert(setitimer(ITIMER_REAL, &timer, 0) == -1);
    dpor_observe("ran", ran);
    return 0;
}
