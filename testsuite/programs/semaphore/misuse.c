// A semaphore that was never initialized, or destroyed, and a count above the maximum.
//@ revisions: never destroyed overflow
//@[never] cflags: -DNEVER
//@[never] expect: bug
//@[never] kind: uninitialized-object
//@[never] executions: 0
//@[never] failed: 1
//@[destroyed] cflags: -DDESTROYED
//@[destroyed] expect: bug
//@[destroyed] kind: uninitialized-object
//@[destroyed] executions: 0
//@[destroyed] failed: 1
//@[overflow] cflags: -DOVERFLOW
//@[overflow] expect: verified
//@[overflow] executions: 1
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t semaphore;

static void *misuse(void *unused) {
#ifdef NEVER
    sem_post(&semaphore); //~[never] uninitialized-object
#elif defined DESTROYED
    sem_init(&semaphore, 0, 1);
    sem_destroy(&semaphore);
    sem_wait(&semaphore); //~[destroyed] uninitialized-object
#else
    sem_init(&semaphore, 0, INT_MAX);
    if (sem_post(&semaphore) == 0 || errno != EOVERFLOW) abort();
    sem_destroy(&semaphore);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, misuse, NULL);
    pthread_join(thread, NULL);
    return 0;
}
