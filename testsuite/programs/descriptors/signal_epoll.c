// A loop of events: a set of epoll tells of a signal and of an event counter, each is handled once, in either
// order; what was read is not told again.
//@ expect: verified
//@ outcomes: order=12 | order=21
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int counter;

static void *work(void *unused) {
    uint64_t value = 1;
    dpor_assert(write(counter, &value, 8) == 8);
    return unused;
}

static void *sender(void *unused) {
    kill(getpid(), SIGTERM);
    return unused;
}

int main(void) {
    pthread_t one, two;
    sigset_t signals;
    struct signalfd_siginfo got;
    uint64_t value;
    int order = 0;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, 0);
    int fd = signalfd(-1, &signals, SFD_NONBLOCK), set = epoll_create1(0);
    counter = eventfd(0, 0);
    pthread_create(&one, 0, work, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    dpor_assert(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
    event.data.fd = counter;
    dpor_assert(epoll_ctl(set, EPOLL_CTL_ADD, counter, &event) == 0);
    pthread_create(&two, 0, sender, 0);
    for (int k = 0; k < 2; k++) {
        dpor_assert(epoll_wait(set, &event, 1, -1) == 1 && event.events == EPOLLIN);
        if (event.data.fd == fd) {
            dpor_assert(read(fd, &got, sizeof(got)) == sizeof(got) && got.ssi_signo == SIGTERM);
            order = 10 * order + 1;
        } else {
            dpor_assert(read(counter, &value, 8) == 8 && value == 1);
            order = 10 * order + 2;
        }
    }
    dpor_assert(epoll_wait(set, &event, 1, 0) == 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    dpor_observe("order", order);
    return 0;
}
