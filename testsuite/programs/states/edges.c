// A loop of events that are reported at their edges. How often an end became ready is no part of a state, but whether
// it did since it was reported. *wrong*: it takes one of the messages that it is told of at once.
//@ revisions: right wrong
//@ args: --states --max-states 100000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: deadlock
//@[wrong] cflags: -DWRONG
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int there[2], back[2];

static void *loop(void *unused) {
    int set = epoll_create1(0);
    struct epoll_event wanted = {EPOLLIN | EPOLLET, {.fd = there[0]}};
    epoll_ctl(set, EPOLL_CTL_ADD, there[0], &wanted);
    for (;;) {
        struct epoll_event told;
        char c;
        assert(epoll_wait(set, &told, 1, -1) == 1 && told.data.fd == there[0]);
#ifdef WRONG
        if (read(there[0], &c, 1) == 1)
#else
        while (read(there[0], &c, 1) == 1)
#endif
            write(back[1], &c, 1);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pipe2(there, O_NONBLOCK);
    pipe(back);
    pthread_create(&thread, 0, loop, 0);
    for (;;) {
        char c;
        write(there[1], "a", 1);
        write(there[1], "b", 1);
        read(back[0], &c, 1);
        assert(c == 'a');
        read(back[0], &c, 1);
        assert(c == 'b');
    }
}
