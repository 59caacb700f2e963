// A thread closes what the first one reads after the join: read fails with EBADF. Which of two calls
// came first, a close or a read that waits, is known to nobody where no event orders the calls
// themselves; so a wait for what was closed is neither called a deadlock nor explored.
//@ expect: unsupported
//@ reason: a wait for a descriptor that another thread closed
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int counter;

static void *closer(void *unused) {
    close(counter);
    return unused;
}

int main(void) {
    pthread_t thread;
    long count;
    counter = eventfd(0, 0);
    pthread_create(&thread, 0, closer, 0);
    pthread_join(thread, 0);
    return read(counter, &count, sizeof count) != -1;
}
