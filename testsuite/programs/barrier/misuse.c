// A barrier that was never initialized, one for nobody, one that is destroyed while a thread waits.
//@ revisions: never nobody waiting
//@[never] cflags: -DNEVER
//@[never] expect: bug
//@[never] kind: uninitialized-object
//@[never] executions: 0
//@[never] failed: 1
//@[nobody] cflags: -DNOBODY
//@[nobody] expect: verified
//@[nobody] executions: 1
//@[waiting] cflags: -DWAITING
//@[waiting] expect: bug
//@[waiting] kind: destroyed-in-use uninitialized-object
//@[waiting] args: -k
// Destroyed first: then the arrival is a use of a destroyed object.
//@[waiting] message: destroyed
//@[waiting] executions: 0
//@[waiting] failed: 2
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void *arrive(void *unused) {
#ifndef NOBODY
    pthread_barrier_wait(&barrier); //~[never] uninitialized-object
#else
    if (pthread_barrier_init(&barrier, NULL, 0) != EINVAL) abort();
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef WAITING
    pthread_barrier_init(&barrier, NULL, 2);
#endif
    pthread_create(&thread, NULL, arrive, NULL);
#ifdef WAITING
    pthread_barrier_destroy(&barrier); //~[waiting] destroyed-in-use
#endif
    pthread_join(thread, NULL);
    return 0;
}
