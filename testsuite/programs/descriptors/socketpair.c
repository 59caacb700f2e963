// A question and its answer over a pair of sockets: all events are ordered, 1 execution.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *answer(void *unused) {
    char question[8] = "";
    dpor_assert(recv(ends[1], question, sizeof question, 0) == 2);
    dpor_assert(!memcmp(question, "6?", 2));
    dpor_assert(send(ends[1], "36!", 3, MSG_NOSIGNAL) == 3);
    return unused;
}

int main(void) {
    pthread_t thread;
    char text[8] = "";
    dpor_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, 0, answer, 0);
    dpor_assert(write(ends[0], "6?", 2) == 2);
    dpor_assert(read(ends[0], text, sizeof text) == 3);
    dpor_assert(!memcmp(text, "36!", 3));
    pthread_join(thread, 0);
    return 0;
}
