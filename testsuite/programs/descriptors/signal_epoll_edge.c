// The kernel tells an edge-triggered set of epoll of any signal that is sent, and tells a thread of what
// is pending for itself only: if another one looks first, it forgets that there is something.
//@ expect: unsupported
//@ revisions: edge other waits
//@[edge] cflags: -DEVENTS=EPOLLIN|EPOLLET
//@[edge] reason: epoll of a signalfd with EPOLLET
//@[other] cflags: -DEVENTS=EPOLLIN
//@[other] reason: epoll of a signalfd while a signal for another thread is pending
//@[waits] cflags: -DEVENTS=EPOLLIN -DWAITS
//@[waits] reason: epoll of a signalfd while a signal for another thread is pending
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

static int set, fd;

static void *work(void *unused) {
    struct epoll_event event = {.events = EVENTS};
    epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
#ifdef WAITS
    epoll_wait(set, &event, 1, -1);
#else
    epoll_wait(set, &event, 1, 0);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, 0);
    fd = signalfd(-1, &signals, 0);
    set = epoll_create1(0);
    pthread_create(&thread, 0, work, 0);
    raise(SIGUSR1);
    pthread_join(thread, 0);
    return 0;
}
