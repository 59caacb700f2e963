// Two threads wait for what never comes, or for timers, and what each does then must not overlap. It does where one gives up because
// nothing else can go on, and the other, which waits already, before the first is done: with one early time-out.
// With none, who gives up first is done before the other gives up.
//@ revisions: poll select epoll signal timer none none-timer
//@[poll] cflags: -DWAIT=in_poll(k)
//@[select] cflags: -DWAIT=in_select(k)
//@[epoll] cflags: -DWAIT=in_epoll(k)
//@[signal] cflags: -DWAIT=in_sigtimedwait()
//@[timer] cflags: -DWAIT=in_read_of_timer()
//@[none] cflags: -DWAIT=in_poll(k)
//@[none] args: --timeouts=none
//@[none-timer] cflags: -DWAIT=in_read_of_timer()
//@[none-timer] args: --timeouts=none
//@[poll] expect: bug
//@[poll] kind: assertion
//@[select] expect: bug
//@[select] kind: assertion
//@[epoll] expect: bug
//@[epoll] kind: assertion
//@[signal] expect: bug
//@[signal] kind: assertion
//@[timer] expect: bug
//@[timer] kind: assertion
//@[none] expect: verified
//@[none-timer] expect: verified
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int ends[2][2], sets[2];
static atomic_int inside;

int in_poll(int k) {
    struct pollfd one = {.fd = ends[k][0], .events = POLLIN};
    return poll(&one, 1, 1000);
}

int in_select(int k) {
    fd_set all;
    struct timeval second = {1, 0};
    FD_ZERO(&all);
    FD_SET(ends[k][0], &all);
    return select(ends[k][0] + 1, &all, NULL, NULL, &second);
}

int in_epoll(int k) {
    struct epoll_event event;
    return epoll_wait(sets[k], &event, 1, 1000);
}

int in_sigtimedwait(void) {
    sigset_t set;
    struct timespec second = {1, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    return sigtimedwait(&set, NULL, &second);
}

// It has no limit, but the timer expires.
int in_read_of_timer(void) {
    struct itimerspec in_a_second = {.it_value = {1, 0}};
    unsigned long count;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    dpor_assert(timerfd_settime(timer, 0, &in_a_second, 0) == 0);
    return read(timer, &count, sizeof count) == sizeof count;
}

static void *wait_in_vain(void *number) {
    int k = (long)number;
    (void)k;
    (void)(WAIT);
    dpor_assert(atomic_exchange(&inside, 1) == 0);
    atomic_store(&inside, 0);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (long k = 0; k < 2; k++) {
        struct epoll_event event = {.events = EPOLLIN};
        dpor_assert(pipe(ends[k]) == 0);
        sets[k] = epoll_create1(0);
        epoll_ctl(sets[k], EPOLL_CTL_ADD, ends[k][0], &event);
        pthread_create(&threads[k], NULL, wait_in_vain, (void *)k);
    }
    for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
    return 0;
}
