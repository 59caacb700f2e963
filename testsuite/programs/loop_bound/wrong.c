// What goes wrong within the bound is found though executions are cut: the other thread goes on, and what it finds
// counts. A thread that stands at its loop for ever is in no deadlock.
// The first thread makes 4 events, A L A L, before it is cut. *held*: the second looks after the first or the second A.
// *exits*: after k of them the process ends, as an event, and it looked after some of the As before: 1, 2, 2, 3, 3 executions for k
// from 0 to 4, the last 3 with the thread at its loop.
//@ revisions: assertion held exits
//@[assertion] cflags: -DASSERT
//@[assertion] expect: bug
//@[assertion] kind: assertion
//@[held] cflags: -DHOLD
//@[held] expect: incomplete
//@[held] executions: 0
//@[held] bound-exceeded: 2
//@[exits] cflags: -DEXIT
//@[exits] args: --main-return=exit
//@[exits] expect: incomplete
//@[exits] executions: 8
//@[exits] bound-exceeded: 3
//@ args: --loop-bound=1 --reductions=none
//@ opt: O0 O2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

atomic_int turns, stop;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *endless(void *unused) {
#ifdef HOLD
    pthread_mutex_lock(&mutex);
#endif
    do atomic_fetch_add(&turns, 1);
    while (!atomic_load(&stop));
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, endless, NULL);
#ifdef ASSERT
    assert(atomic_load(&turns) < 2);
#elif defined HOLD
    while (!atomic_load(&turns)) {
    }
    pthread_mutex_lock(&mutex);
#else
    exit(atomic_load(&turns) > 3);
#endif
    pthread_join(thread, NULL);
}
