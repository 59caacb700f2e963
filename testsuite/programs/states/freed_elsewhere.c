// What a producer allocates a consumer frees, for ever: blocks come back to the producer when it knows of the free, and
// only then. *wrong*: the consumer looks at a block that it has given back, if it comes to that.
//@ revisions: right wrong
//@ args: --states --max-states 100000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: use-after-free
//@[wrong] cflags: -DWRONG
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { PLACES = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int *queue[PLACES], used;

static void *produce(void *unused) {
    for (;;) {
        int *item = malloc(sizeof *item);
        *item = 7;
        pthread_mutex_lock(&mutex);
        while (used == PLACES)
            pthread_cond_wait(&changed, &mutex);
        queue[used++] = item;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, produce, 0);
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (used == 0)
            pthread_cond_wait(&changed, &mutex);
        int *item = queue[--used];
        int full = used > 0;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
        assert(*item == 7);
        free(item);
#ifdef WRONG
        if (full)
            *item = 8;
#else
        (void)full;
#endif
    }
}
