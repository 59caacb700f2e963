// A timer and a pipe, which another thread writes to. By default, or with --timeouts, the timer may expire before the write
// and after it; with none, the write ends the wait.
//@ revisions: any early quiet
//@ expect: verified
//@[any] args: --timeouts
//@[any] outcomes: timer=1 pipe=0 | timer=0 pipe=1 | timer=1 pipe=1
//@[early] outcomes: timer=1 pipe=0 | timer=0 pipe=1 | timer=1 pipe=1
//@[quiet] args: --timeouts=none
//@[quiet] outcomes: timer=0 pipe=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
    dpor_assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct itimerspec once = {{0, 0}, {1, 0}};
    dpor_assert(pipe(ends) == 0);
    pthread_create(&thread, 0, writer, 0);
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    dpor_assert(timerfd_settime(timer, 0, &once, 0) == 0);
    struct pollfd both[2] = {{timer, POLLIN, 0}, {ends[0], POLLIN, 0}};
    dpor_assert(poll(both, 2, -1) > 0);
    dpor_observe("timer", both[0].revents == POLLIN);
    dpor_observe("pipe", both[1].revents == POLLIN);
    pthread_join(thread, 0);
    return 0;
}
