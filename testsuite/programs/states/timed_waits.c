// Waits with a limit, for ever: how many were given up is no part of a state. *wrong*: it takes giving up for being told.
//@ revisions: right wrong
//@ args: --states --max-states 100000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: assertion
//@[wrong] cflags: -DWRONG
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int full;

static void *take(void *unused) {
    for (;;) {
        struct timespec limit = {1, 0};
        pthread_mutex_lock(&mutex);
#ifdef WRONG
        if (!full)
#else
        while (!full)
#endif
            pthread_cond_timedwait(&told, &mutex, &limit);
        assert(full);
        full = 0;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, take, 0);
    for (;;) {
        pthread_mutex_lock(&mutex);
        if (!full) {
            full = 1;
            pthread_cond_signal(&told);
        }
        pthread_mutex_unlock(&mutex);
    }
}
