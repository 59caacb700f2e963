// Level-triggered: a byte that is not read is told again. The first wait looks before or after the
// write (which conflicts with all that epoll does): 2 executions.
//@ expect: verified
//@ executions: 2
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
    write(ends[1], "x", 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pipe(ends);
    int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
    pthread_create(&thread, 0, writer, 0);
    epoll_wait(set, &event, 1, -1);
    epoll_wait(set, &event, 1, -1);
    pthread_join(thread, 0);
    return 0;
}
