// Waits for a signal with a limit.
// vain: nobody sends it, and the time passes: 1.
// handler: another signal has a handler. The thread looks when it calls (1) and in the call (2). It comes
// before 1, and the wait is in vain; between, or after 2: it is interrupted. 3.
// sent: it is sent, and nothing else can end the wait before: before 1, between, or after 2, 3.
// any, early: with --timeouts, or by default, it may also come too late.
//@ revisions: vain handler sent any early
//@ expect: verified
//@[vain] args: --timeouts=none
//@[vain] cflags: -DSENDS=0
//@[vain] executions: 1
//@[vain] outcomes: result=-1 late=1 *1
//@[handler] args: --timeouts=none
//@[handler] cflags: -DSENDS=SIGUSR1
//@[handler] executions: 3
//@[handler] outcomes: result=-1 late=1 *1 | result=-1 late=0 *2
//@[sent] args: --timeouts=none
//@[sent] cflags: -DSENDS=SIGUSR2
//@[sent] executions: 3
//@[sent] outcomes: result=12 late=0 *3
//@[any] args: --timeouts
//@[any] cflags: -DSENDS=SIGUSR2
//@[any] outcomes: result=12 late=0 | result=-1 late=1
//@[early] cflags: -DSENDS=SIGUSR2
//@[early] outcomes: result=12 late=0 | result=-1 late=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

static int result, late, ran;

static void handler(int signal) {
    (void)signal;
    ran++;
}

static void *work(void *unused) {
    struct timespec second = {1, 0}, before, after;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2); // Blocked, as in main.
    clock_gettime(CLOCK_MONOTONIC, &before);
    result = sigtimedwait(&set, 0, &second);
    clock_gettime(CLOCK_MONOTONIC, &after);
    late = result == -1 && errno == EAGAIN;
    if (late) {
        long nanoseconds = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
        dpor_assert(nanoseconds >= 1000000000);
    } else {
        dpor_assert(result == SIGUSR2 || (errno == EINTR && ran == 1));
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    signal(SIGUSR1, handler);
    pthread_create(&thread, 0, work, 0);
    if (SENDS) pthread_kill(thread, SENDS);
    pthread_join(thread, 0);
    dpor_observe("result", result);
    dpor_observe("late", late);
    return 0;
}
