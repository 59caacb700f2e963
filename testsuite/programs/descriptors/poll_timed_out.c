// Nothing else runs, so the time-out would end the wait: not modelled, and said so, never a deadlock.
//@ expect: unsupported
//@ reason: time-out of poll
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    pipe(ends);
    struct pollfd one = {ends[0], POLLIN, 0};
    pthread_create(&thread, 0, idle, 0);
    poll(&one, 1, 100);
    pthread_join(thread, 0);
    return 0;
}
