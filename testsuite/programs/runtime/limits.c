// Each limit ends the check as incomplete, with its name.
//@ revisions: executions time events
//@ expect: incomplete
//@[executions] args: --max-executions 5 --reductions=none
//@[executions] reason: max-executions
//@[time] args: --time-limit 0.3 --reductions=none
//@[time] reason: time-limit
//@[time] checkpoint: snapshot
//@[events] cflags: -DROUNDS=3
//@[events] args: --max-events 7 // of 8: two threads are created, and 6 numbers added
//@[events] reason: max-events
#ifndef ROUNDS
#define ROUNDS 20
#endif
#include <pthread.h>
#include <stdatomic.h>

atomic_int cell;

static void *work(void *unused) {
    for (int i = 0; i < ROUNDS; i++) atomic_fetch_add(&cell, 1);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
