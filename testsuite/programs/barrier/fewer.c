// A barrier for more threads than come to it: they wait for ever. Arrivals commute as long as no more come
// than complete it: 1 execution. revision enough: the creator comes, too.
//@ expect: bug
//@ args: -k --reductions=commute
//@ revisions: fewer enough
//@[fewer] kind: deadlock
//@[fewer] message: waits at a barrier at which 2 of 3 threads have arrived
//@[fewer] executions: 0
//@[fewer] deadlocked: 1
//@[enough] cflags: -DENOUGH
//@[enough] expect: verified
//@[enough] executions: 1
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t barrier;

static void *meet(void *unused) {
    pthread_barrier_wait(&barrier); //~[fewer] deadlock
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, meet, NULL);
#ifdef ENOUGH
    pthread_barrier_wait(&barrier);
#endif
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
