// Nobody writes to the second pipe, and the writer of the first has written: the second poll, for the
// second pipe and the room of a full one, waits for ever.
//@ expect: bug
//@ kind: deadlock
//@ message: for a descriptor to be ready
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int a[2], b[2];

static void *writer(void *unused) {
    write(a[1], "x", 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pipe(a);
    pipe(b);
    pthread_create(&thread, 0, writer, 0);
    struct pollfd both[2] = {{a[0], POLLIN, 0}, {b[0], POLLIN, 0}};
    poll(both, 2, -1);
    both[0].events = 0;
    poll(both, 2, -1); //~ deadlock
    pthread_join(thread, 0);
    return 0;
}
