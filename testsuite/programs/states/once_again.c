// A control word of `pthread_once` that is made anew for ever. *wrong*: it is not.
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

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int count;

static void add(void) { count++; }

static void *again(void *unused) {
    for (;;) {
        pthread_mutex_lock(&mutex);
#ifndef WRONG
        pthread_once_t fresh = PTHREAD_ONCE_INIT;
        once = fresh;
#endif
        count = 0;
        pthread_once(&once, add);
        pthread_once(&once, add);
        assert(count == 1);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, again, 0);
    again(0);
}
