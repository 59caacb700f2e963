// An execution that makes more events than any may: it is cut, and the check says where the thread was. It does not read
// what the other one stores, so that there is no other execution.
//@ expect: incomplete
//@ reason: max-events: 1 executions cut after 1000000 events, at
#include <pthread.h>
#include <stdatomic.h>

// Not static: the compiler would see that nobody reads it.
atomic_int cell;

static void *work(void *unused) {
    atomic_store(&cell, -1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    for (int count = 0; count < 1000001; count++) {
        atomic_store(&cell, count);
    }
    return pthread_join(thread, 0);
}
