// Misuses of mutexes with two threads.
// before: main destroys the mutex before there is a thread, which then locks it, its only event: 1
// execution. garbage: its memory is no mutex's, and the execution goes on: 1.
// late: so it is, and main initializes it after the thread was created: before its section, in its midst,
// which is wrong as well, or after it.
// Nothing orders the call with those of the thread, so it races with them, too.
// meanwhile: main destroys it before the thread's section, within, or after it: in the last nothing but the order is wrong: a race, as above.
// made-anew: destroyed and made again, by assignment and by a call; garbage before the call does not
// matter. The thread has nothing to be ordered with: 1.
//@ args: -k
//@ executions: 0
//@ expect: bug
//@ revisions: before garbage late meanwhile made-anew
//@[before] cflags: -DBEFORE
//@[before] kind: uninitialized-object
//@[before] message: a mutex is used after it was destroyed
//@[before] failed: 1
//@[garbage] cflags: -DGARBAGE
//@[garbage] kind: uninitialized-object
//@[garbage] message: a mutex is used before it was initialized
//@[garbage] executions: 1
//@[late] cflags: -DGARBAGE -DLATE
//@[late] kind: uninitialized-object destroyed-in-use data-race
//@[late] executions: 2
//@[late] failed: 1
//@[meanwhile] cflags: -DMEANWHILE
//@[meanwhile] kind: destroyed-in-use uninitialized-object data-race
//@[meanwhile] executions: 1
//@[meanwhile] failed: 2
//@[made-anew] cflags: -DMADE_ANEW
//@[made-anew] expect: verified
//@[made-anew] executions: 1
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex); //~[before] uninitialized-object
    pthread_mutex_unlock(&mutex);
#ifdef MADE_ANEW
    pthread_mutex_destroy(&mutex);
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    memset(&mutex, 0xff, sizeof mutex);
    pthread_mutex_init(&mutex, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef BEFORE
    pthread_mutex_destroy(&mutex);
#endif
#ifdef GARBAGE
    memset(&mutex, 0xff, sizeof mutex);
#endif
#ifdef MADE_ANEW
    pthread_mutex_destroy(&mutex);
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
#endif
    pthread_create(&thread, 0, work, 0);
#ifdef MEANWHILE
    pthread_mutex_destroy(&mutex); //~[meanwhile] destroyed-in-use
#endif
#ifdef LATE
    pthread_mutex_init(&mutex, 0); //~[late] destroyed-in-use
#endif
    pthread_join(thread, 0);
#ifdef LATE
    pthread_mutex_destroy(&mutex);
#endif
    return 0;
}
