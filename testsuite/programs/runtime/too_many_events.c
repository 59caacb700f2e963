// An execution that makes more events than any that ends: the search is told so in the middle of a step,
// which no fiber runs in, and the check says where the thread was. The first execution is the one in which
// the first thread goes on as long as it can.
//@ expect: incomplete
//@ reason: an execution has more than 1000000 events
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
