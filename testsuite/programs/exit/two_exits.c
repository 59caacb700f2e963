// Two threads call exit: one ends the process, the other waits until it is gone. Which is first is a choice of the
// scheduler: 2 executions, and the handlers run once in each.
//
// main: main returns while a thread calls exit, the same.
//@ revisions: threads main
//@[main] cflags: -DRETURNS
//@[main] kind: main-exits-early
//@ opt: O0 O2
//@ expect: verified
//@ executions: 2
//@[threads] outcomes: by=1 runs=1 | by=2 runs=1
//@[main] outcomes: by=0 runs=1 | by=1 runs=1
#include <dpor.h>
#include <pthread.h>
#include <stdlib.h>

static _Thread_local int number;
static int runs;

static void see(void) {
    dpor_observe("by", number);
    dpor_observe("runs", ++runs);
}

static void *end(void *one_or_two) {
    number = *(int *)one_or_two;
    exit(0);
}

int main(void) {
    static int numbers[] = {1, 2};
    pthread_t threads[2];
    atexit(see);
    pthread_create(&threads[0], 0, end, &numbers[0]);
#ifdef RETURNS
    return 0;
#else
    pthread_create(&threads[1], 0, end, &numbers[1]);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
#endif
}
