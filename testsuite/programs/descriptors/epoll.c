// A set of two pipes. Each writer writes once; level-triggered, an unread byte is told again; the
// loop ends when both were read.
//@ expect: verified
//@ outcomes: total=3
#include <dpor.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int a[2], b[2];

static void *writer(void *end) {
    char byte = end == &a[1] ? 1 : 2;
    dpor_assert(write(*(int *)end, &byte, 1) == 1);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pipe(a);
    pipe(b);
    int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = a[0]};
    dpor_assert(epoll_ctl(set, EPOLL_CTL_ADD, a[0], &event) == 0);
    pthread_create(&one, 0, writer, &a[1]);
    pthread_create(&two, 0, writer, &b[1]);
    event.data.fd = b[0];
    dpor_assert(epoll_ctl(set, EPOLL_CTL_ADD, b[0], &event) == 0);
    dpor_assert(epoll_ctl(set, EPOLL_CTL_ADD, b[0], &event) == -1);
    int total = 0;
    for (int k = 0; k < 2; k++) {
        struct epoll_event got;
        dpor_assert(epoll_wait(set, &got, 1, -1) == 1 && got.events == EPOLLIN);
        char byte = 0;
        dpor_assert(read(got.data.fd, &byte, 1) == 1);
        total += byte;
    }
    pthread_join(one, 0);
    pthread_join(two, 0);
    dpor_assert(epoll_wait(set, &event, 1, 0) == 0);
    close(set);
    dpor_observe("total", total);
    return 0;
}
