// Misuses of condition variables with two threads.
// mutexes: the two threads wait with a mutex each; whoever comes second is wrong: 2 orders.
// without: the thread does not hold the mutex. A misuse ends the execution, so that it may come before each
// of main's three events or after them: 4 executions. garbage: what it waits with is no mutex, and it does
// not hold it: the same.
// before: the condition variable was destroyed before the thread began; main has two events: 3.
// waited: main destroys what the thread waits on, or destroys it first, and the thread waits on what is no
// more: the 2 orders of their sections.
// right: main's section before the thread's, or after its wait began: 2.
//@ expect: bug
//@ args: -k
//@ executions: 0
//@ revisions: mutexes without garbage before waited right
//@[mutexes] cflags: -DMUTEXES
//@[mutexes] kind: condvar-mutex-mismatch
//@[mutexes] failed: 2
//@[without] cflags: -DWITHOUT
//@[without] kind: unlock-not-owner
//@[without] message: waits on a condition variable with a mutex that it does not hold
//@[without] failed: 4
//@[garbage] cflags: -DGARBAGE
//@[garbage] kind: uninitialized-object unlock-not-owner
//@[garbage] message: a mutex is used before it was initialized
//@[garbage] failed: 4
//@[before] cflags: -DBEFORE
//@[before] kind: uninitialized-object
//@[before] message: a condition variable is used after it was destroyed
//@[before] failed: 3
//@[waited] cflags: -DWAITED
//@[waited] kind: destroyed-in-use uninitialized-object
//@[waited] message: a condition variable is used after it was destroyed
//@[waited] failed: 2
//@[right] expect: verified
//@[right] executions: 2
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int ready;

static void *work(void *unused) {
#if defined BEFORE
    pthread_cond_signal(&changed); //~[before] uninitialized-object
#elif defined GARBAGE
    pthread_cond_wait(&changed, &other); //~[garbage] uninitialized-object
#elif defined WITHOUT
    pthread_cond_wait(&changed, &mutex); //~[without] unlock-not-owner
#else
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&changed, &mutex); //~[mutexes] condvar-mutex-mismatch
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_cond_init(&changed, 0);
#ifdef GARBAGE
    memset(&other, 0xff, sizeof other);
#endif
#ifdef BEFORE
    pthread_cond_destroy(&changed);
#endif
    pthread_create(&thread, 0, work, 0);
#ifdef MUTEXES
    pthread_mutex_lock(&other);
    pthread_cond_wait(&changed, &other); //~[mutexes] condvar-mutex-mismatch
    pthread_mutex_unlock(&other);
#else
    pthread_mutex_lock(&mutex);
#ifdef WAITED
    pthread_cond_destroy(&changed); //~[waited] destroyed-in-use
#else
    ready = 1;
#ifndef BEFORE
    pthread_cond_signal(&changed);
#endif
#endif
    pthread_mutex_unlock(&mutex);
#endif
    pthread_join(thread, 0);
    pthread_cond_destroy(&changed);
    return 0;
}
