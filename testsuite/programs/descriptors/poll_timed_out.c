// Nothing else can go on, so every time-out comes, and the clock shows it: one execution.
// The write after it is found at once.
//@ args: --timeouts=none
//@ expect: verified
//@ executions: 1
//@ dfs: same-outcomes
#define _GNU_SOURCE
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static int a[2], b[2];

static void *idle(void *unused) { return unused; }

static long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(void) {
    pthread_t thread;
    dpor_assert(pipe(a) == 0 && pipe(b) == 0);
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);

    struct pollfd both[2] = {{a[0], POLLIN, 9}, {b[0], POLLIN, 9}};
    struct timespec second = {1, 0};
    long before = milliseconds();
    dpor_assert(poll(both, 1, 100) == 0 && both[0].revents == 0);
    dpor_assert(milliseconds() >= before + 100);
    dpor_assert(poll(both, 2, 100) == 0 && both[1].revents == 0);
    dpor_assert(milliseconds() >= before + 200);
    dpor_assert(ppoll(both, 2, &second, 0) == 0);
    dpor_assert(milliseconds() >= before + 1200);

    fd_set set;
    struct timeval half = {0, 500000};
    FD_ZERO(&set);
    FD_SET(a[0], &set);
    dpor_assert(select(a[0] + 1, &set, 0, 0, &half) == 0 && !FD_ISSET(a[0], &set));
    FD_SET(a[0], &set);
    dpor_assert(pselect(a[0] + 1, &set, 0, 0, &second, 0) == 0 && !FD_ISSET(a[0], &set));
    dpor_assert(milliseconds() >= before + 2700);

    // Without descriptors: sleeps.
    half.tv_usec = 500000;
    dpor_assert(select(0, 0, 0, 0, &half) == 0 && poll(0, 0, 500) == 0);
    dpor_assert(milliseconds() >= before + 3700);

    int epoll = epoll_create1(0);
    struct epoll_event event = {EPOLLIN, {0}};
    dpor_assert(epoll_ctl(epoll, EPOLL_CTL_ADD, a[0], &event) == 0);
    dpor_assert(epoll_wait(epoll, &event, 1, 100) == 0);
    dpor_assert(milliseconds() >= before + 3800);

    dpor_assert(write(a[1], "x", 1) == 1);
    dpor_assert(epoll_wait(epoll, &event, 1, 100) == 1 && poll(both, 2, 100) == 1);
    dpor_assert(milliseconds() < before + 3900);
    return 0;
}
