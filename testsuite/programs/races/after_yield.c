// Two writes to the same variable with nothing between them in either order but sched_yield, which orders nothing:
// the second one races, however alike it is to the first.
//
// The threads have passed the barrier before either of them yields. Of the orders of two writes without
// synchronization one is run.
//@ expect: bug
//@ kind: data-race
#include <pthread.h>
#include <sched.h>

static pthread_barrier_t both;
int value;

static void *write(void *unused) {
    pthread_barrier_wait(&both);
    sched_yield();
    value = 1;
    sched_yield();
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&one, 0, write, 0);
    pthread_create(&two, 0, write, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_barrier_destroy(&both);
    return 0;
}
