// A queue of two places with condition variables, for ever: nobody is stuck. [if] Who is woken does not look again: with
// two consumers one finds nothing. [one] Both kinds of waiters share a condition variable, and one is signalled: all wait.
//@ revisions: right if one
//@ args: --states
//@ opt: O2
//@[right] expect: verified
//@[if] cflags: -DWHILE=if
//@[if] expect: bug
//@[if] kind: assertion
//@[one] cflags: -DONE
//@[one] expect: bug
//@[one] kind: deadlock
#include <assert.h>
#include <pthread.h>

#ifndef WHILE
#define WHILE while
#endif
#ifdef ONE
#define FILLED emptied
#define PLACES 1
#else
#define FILLED filled
#define PLACES 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int used;

static void *produce(void *unused) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        WHILE(used == PLACES) pthread_cond_wait(&emptied, &mutex);
        used++;
        pthread_cond_signal(&FILLED);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *consume(void *unused) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        WHILE(used == 0) pthread_cond_wait(&FILLED, &mutex);
        assert(used > 0); //~[if] assertion
        used--;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    (void)filled;
    pthread_t one, two;
    pthread_create(&one, 0, consume, 0);
    pthread_create(&two, 0, consume, 0);
    produce(0);
    return 0;
}
