// Each object is initialized by a call and not destroyed when the process ends: a warning each, whoever
// made it, before the second thread or after, and also where there is none.
// revision freed: the memory goes first, before the second thread and after.
// revision destroyed: all are destroyed. revision unseen: what is initialized by assignment, and what lies
// on a stack, is not judged. revision ends: exit() while a thread waits ends no object's use; that it waits is the warning.
// The two sections of the mutex in two orders, but where there is one thread, and but for `ends`, where
// the thread waits for what never comes: 1.
//@ revisions: left alone freed destroyed unseen ends
//@ expect: verified
//@[left] cflags: -DTHREAD
//@[left] kind: not-destroyed
//@[left] executions: 2
//@[left] message: a mutex is never destroyed
//@[left] message: a condition variable is never destroyed
//@[left] message: a barrier is never destroyed
//@[alone] kind: not-destroyed
//@[alone] executions: 1
//@[freed] cflags: -DTHREAD -DFREED
//@[freed] kind: not-destroyed
//@[freed] message: the memory of a read-write lock that was not destroyed is freed
//@[freed] message: the memory of a semaphore that was not destroyed is freed
//@[freed] executions: 2
//@[destroyed] cflags: -DTHREAD -DDESTROY
//@[destroyed] executions: 2
//@[unseen] cflags: -DUNSEEN
//@[unseen] executions: 1
//@[ends] cflags: -DTHREAD -DENDS
//@[ends] kind: main-exits-early
//@[ends] executions: 1
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t mutex;
static pthread_cond_t condvar;
static pthread_barrier_t barrier;
static sem_t never;
struct two {
    int first;
    pthread_rwlock_t rwlock;
    sem_t semaphore;
};

static void *work(void *unused) {
#ifdef ENDS
    sem_wait(&never);
#else
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
#endif
#ifdef THREAD
#if !defined FREED && !defined ENDS
    pthread_barrier_init(&barrier, 0, 2); //~[left] not-destroyed
#endif
#ifdef DESTROY
    pthread_barrier_destroy(&barrier);
#endif
#ifdef FREED
    struct two *two = malloc(sizeof *two);
    sem_init(&two->semaphore, 0, 1);
    free(two); //~[freed] not-destroyed
#endif
#endif
    return unused;
}

static void on_the_stack(void) {
    pthread_mutex_t here;
    pthread_mutex_init(&here, 0);
    pthread_mutex_lock(&here);
    pthread_mutex_unlock(&here);
}

int main(void) {
#ifdef UNSEEN
    pthread_mutex_t *block = malloc(sizeof *block);
    *block = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(block);
    pthread_mutex_unlock(block);
    on_the_stack();
    on_the_stack();
    free(block);
    work(0);
#else
#ifdef FREED
    struct two *two = malloc(sizeof *two);
    pthread_rwlock_init(&two->rwlock, 0);
    free(two); //~[freed] not-destroyed
#else
    pthread_mutex_init(&mutex, 0); //~[left] not-destroyed
    pthread_cond_init(&condvar, 0); //~[alone] not-destroyed
#endif
#ifdef THREAD
    pthread_t thread;
#ifdef ENDS
    sem_init(&never, 0, 0);
#endif
    pthread_create(&thread, 0, work, 0);
#ifdef ENDS
    exit(0);
#endif
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
#endif
#ifdef DESTROY
    pthread_mutex_destroy(&mutex);
    pthread_cond_destroy(&condvar);
#endif
#endif
    on_the_stack();
    return 0;
}
