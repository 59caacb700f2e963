// shutdown ends one direction only; closing with unread data resets the other end.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    int ends[2], n;
    char byte;
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    dpor_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    dpor_assert(write(ends[0], "ab", 2) == 2);
    dpor_assert(ioctl(ends[1], FIONREAD, &n) == 0 && n == 2);
    dpor_assert(shutdown(ends[0], SHUT_WR) == 0);
    dpor_assert(send(ends[0], "c", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    dpor_assert(recv(ends[1], &byte, 1, MSG_PEEK) == 1 && byte == 'a');
    dpor_assert(read(ends[1], &byte, 1) == 1 && byte == 'a');
    dpor_assert(read(ends[1], &byte, 1) == 1 && byte == 'b');
    dpor_assert(read(ends[1], &byte, 1) == 0);
    dpor_assert(write(ends[1], "back", 4) == 4);
    struct pollfd one = {ends[0], POLLIN | POLLOUT, 0};
    dpor_assert(poll(&one, 1, -1) == 1 && one.revents == (POLLIN | POLLOUT));
    dpor_assert(close(ends[0]) == 0);
    dpor_assert(read(ends[1], &byte, 1) == -1 && errno == ECONNRESET);
    dpor_assert(read(ends[1], &byte, 1) == 0);
    close(ends[1]);
    return 0;
}
