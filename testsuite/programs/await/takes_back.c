// A lock in which each thread says that it wants to get in, and takes that back if the other does: in step they may go
// round for ever, though both move all the time. (In Knuth's and Dijkstra's algorithms a turn decides.) One of them may
// go round alone as well, as often as it likes, so that without a bound there is no end of executions.
//@ expect: bug
//@ kind: livelock
//@ message: 2 threads may go round in loops for ever
//@ args: --loop-bound=2
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int want[N];
int shared;

static void *run(void *argument) {
    int me = (int)((atomic_int *)argument - want);
    for (;;) {
        atomic_store(&want[me], 1);
        if (!atomic_load(&want[1 - me])) break;
        atomic_store(&want[me], 0);
    }
    shared++;
    atomic_store(&want[me], 0);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, run, &want[i]);
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    return shared != N;
}
