// What was written before the second thread is there after it: bytes in a pipe and in a pair of
// sockets, the value of a counter, an end that is closed, a set of epoll. A descriptor duplicated
// before names the same end.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int full[2], closed[2], pair[2], mail[2], counter, set, copy;

static void *look(void *unused) {
    char text[16] = "";
    uint64_t value = 0;
    struct epoll_event event;
    dpor_assert(epoll_wait(set, &event, 1, 0) == 1 && event.data.u32 == 77);
    dpor_assert(read(full[0], text, 3) == 3 && !memcmp(text, "abc", 3));
    dpor_assert(read(full[0], text, 8) == 2 && !memcmp(text, "de", 2));
    dpor_assert(write(copy, "z", 1) == 1);
    dpor_assert(read(full[0], text, 8) == 1);
    dpor_assert(read(closed[0], text, 8) == 1 && read(closed[0], text, 8) == 0);
    dpor_assert(read(pair[1], text, 8) == 4 && !memcmp(text, "ping", 4));
    dpor_assert(recv(mail[0], text, 8, 0) == 1 && recv(mail[0], text, 8, 0) == 2);
    dpor_assert(read(counter, &value, 8) == 8 && value == 42);
    return unused;
}

int main(void) {
    pthread_t thread;
    uint64_t two = 2;
    pipe(full);
    pipe(closed);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    socketpair(AF_UNIX, SOCK_DGRAM, 0, mail);
    counter = eventfd(40, 0);
    copy = dup(full[1]);
    set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = 77};
    epoll_ctl(set, EPOLL_CTL_ADD, full[0], &event);
    write(full[1], "abcde", 5);
    write(closed[1], "!", 1);
    close(closed[1]);
    write(pair[0], "ping", 4);
    send(mail[1], "1", 1, 0);
    send(mail[1], "22", 2, 0);
    write(counter, &two, 8);
    pthread_create(&thread, 0, look, 0);
    pthread_join(thread, 0);
    return 0;
}
