// Three threads append to a queue. Each finds the end, writes there, and moves the end on. The queue is left with
// one item if the thread that stores the end last found it where it was at the beginning.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3 };

static _Atomic int queue[THREADS], end;

static void *append(void *unused) {
    int at = end;
    queue[at] = 1;
    end = at + 1;
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, append, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(end > 1);
}
