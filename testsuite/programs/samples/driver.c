// A driver is stopped when nobody uses it: whoever wants to use it looks whether it is being stopped, and only
// then counts itself. It may be stopped between the two.
// As in the "Bluetooth driver" of the literature on context bounds.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int users = 1, stopping, stopped;

static void leave(void) {
    if (--users == 0)
        stopped = 1;
}

static void *use(void *unused) {
    if (stopping)
        return unused;
    users++;
    assert(!stopped);
    leave();
    return unused;
}

static void *stop(void *unused) {
    stopping = 1;
    leave();
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, use, 0);
    pthread_create(&threads[1], 0, use, 0);
    pthread_create(&threads[2], 0, stop, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
