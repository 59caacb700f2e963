// A handler stops a thread that waits, and joins it, after main has returned or called exit: what a pool of threads
// does at its end. Nobody is left waiting, and nothing is wrong.
//
// The thread's critical section comes before the handler's, then it waits and is woken, or after it: 2 executions.
// The handlers of quick_exit are others, and do the same.
//@ revisions: returns calls quick
//@[calls] cflags: -DEND=exit(0)
//@[quick] cflags: -DEND=quick_exit(0)
//@ opt: O0 O2
//@ expect: verified
//@ executions: 2
#include <pthread.h>
#include <stdlib.h>

#ifndef END
#define END return 0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stops;
static pthread_t thread;

static void *wait_for_stop(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!stops) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void stop(void) {
    pthread_mutex_lock(&mutex);
    stops = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
}

int main(void) {
    atexit(stop);
    at_quick_exit(stop);
    pthread_create(&thread, 0, wait_for_stop, 0);
    END;
}
