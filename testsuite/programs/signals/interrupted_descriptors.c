// As interrupted_semaphore.c, with a pipe: 4. Poll, select and epoll_wait are never begun anew.
//@ args: --timeouts=none
//@ revisions: read restart poll select
//@ expect: verified
//@ executions: 4
//@[read] cflags: -DFLAGS=0 -DHOW=0
//@[read] outcomes: interrupted=1 *1 | interrupted=0 *3
//@[restart] cflags: -DFLAGS=SA_RESTART -DHOW=0
//@[restart] outcomes: interrupted=0 *4
//@[poll] cflags: -DFLAGS=SA_RESTART -DHOW=1
//@[poll] outcomes: interrupted=1 *1 | interrupted=0 *3
//@[select] cflags: -DFLAGS=SA_RESTART -DHOW=2
//@[select] outcomes: interrupted=1 *1 | interrupted=0 *3
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2], ran, interrupted;

static void handler(int signal) {
    (void)signal;
    ran++;
}

static int wait_for_it(void) {
    struct pollfd one = {ends[0], POLLIN, 0};
    char byte;
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    if (HOW == 0) return read(ends[0], &byte, 1);
    return HOW == 1 ? poll(&one, 1, 1000) : select(ends[0] + 1, &set, 0, 0, 0);
}

static void *work(void *unused) {
    int result = wait_for_it();
    dpor_assert(result == 1 || (result == -1 && errno == EINTR && ran == 1));
    interrupted = result < 0;
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handler, .sa_flags = FLAGS};
    sigaction(SIGUSR1, &action, 0);
    pipe(ends);
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGUSR1);
    dpor_assert(write(ends[1], "x", 1) == 1);
    pthread_join(thread, 0);
    dpor_assert(ran == 1);
    dpor_observe("interrupted", interrupted);
    return 0;
}
