// The signal is blocked but in pselect, which nothing else ends. Whether it comes before or while the thread
// waits, its handler runs there, and nowhere else: before the look in the call, 1; after it, the thread would
// be interrupted, having done nothing since, 1 blocked.
// written: the pipe is ready, so pselect returns that, and the handler never runs. The thread looks for
// signals in the call and at its end: 3.
//@ revisions: pselect ppoll written own
//@ expect: verified
//@[pselect] cflags: -DHOW=0
//@[pselect] executions: 1
//@[pselect] blocked: 1
//@[pselect] outcomes: result=-1 ran=1 *1
//@[ppoll] cflags: -DHOW=1
//@[ppoll] executions: 1
//@[ppoll] blocked: 1
//@[ppoll] outcomes: result=-1 ran=1 *1
//@[written] cflags: -DHOW=2
//@[written] executions: 3
//@[written] outcomes: result=1 ran=0 *3
// own: the thread sent it to itself: 1.
//@[own] cflags: -DHOW=3
//@[own] executions: 1
//@[own] outcomes: result=-1 ran=1 *1
//@ dfs: same-outcomes
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2], ran, result;

static void handler(int signal) {
    (void)signal;
    ran++;
}

static void *work(void *unused) {
    struct pollfd one = {ends[0], POLLIN, 0};
    sigset_t none;
    fd_set set;
    sigemptyset(&none);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    if (HOW == 3) raise(SIGUSR1);
    result = HOW == 1 ? ppoll(&one, 1, 0, &none) : pselect(ends[0] + 1, &set, 0, 0, 0, &none);
    dpor_assert(result == 1 || errno == EINTR);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    signal(SIGUSR1, handler);
    dpor_assert(pipe(ends) == 0);
    if (HOW == 2) dpor_assert(write(ends[1], "x", 1) == 1);
    pthread_create(&thread, 0, work, 0);
    if (HOW != 3) pthread_kill(thread, SIGUSR1);
    pthread_join(thread, 0);
    dpor_observe("result", result);
    dpor_observe("ran", ran);
    return 0;
}
