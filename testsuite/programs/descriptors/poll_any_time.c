// With --timeouts a time-out may come before the write: the one look at the pipe is before it or after
// it, 2. Epoll looks in an event that conflicts with everything: 2, too.
//@ revisions: poll epoll early never
//@ expect: verified
//@[poll] args: --timeouts
//@[poll] cflags: -DEPOLL=0
//@[poll] executions: 2
//@[poll] outcomes: found=0 *1 | found=1 *1
//@[epoll] args: --timeouts
//@[epoll] cflags: -DEPOLL=1
//@[epoll] executions: 2
//@[epoll] outcomes: found=0 *1 | found=1 *1
// By default a look that is in vain is followed by another, or by a time-out.
//@[early] cflags: -DEPOLL=0
//@[early] outcomes: found=0 | found=1
// With none the write comes first.
//@[never] args: --timeouts=none
//@[never] cflags: -DEPOLL=0
//@[never] executions: 1
//@[never] outcomes: found=1 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
    dpor_assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    dpor_assert(pipe(ends) == 0);
    int epoll = epoll_create1(0);
    struct epoll_event event = {EPOLLIN, {0}};
    dpor_assert(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
    struct pollfd one = {ends[0], POLLIN, 0};
    pthread_create(&thread, 0, writer, 0);
    dpor_observe("found", EPOLL ? epoll_wait(epoll, &event, 1, 50) : poll(&one, 1, 50));
    pthread_join(thread, 0);
    return 0;
}
