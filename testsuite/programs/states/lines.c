// Threads that print lines for ever, one by way of a stream. The output is no part of a state, nor is it kept in the
// stream's buffer longer than a line. *wrong*: one of them may come between.
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
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void *print(void *unused) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        assert(!inside++);
        printf("tick %d\n", inside);
        inside--;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, print, 0);
    for (;;) {
        pthread_mutex_lock(&mutex);
        assert(!inside++);
#ifdef WRONG
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
#endif
        write(1, "tock\n", 5);
        inside--;
        pthread_mutex_unlock(&mutex);
    }
}
