// A thread signals after it has given the mutex back. Whoever waits for it may be awake without the signal, and
// free the condition variable first: the signal races with the free. It is not destroyed, either.
// revision right: it is signalled under the mutex, and destroyed. The two sections are in 2 orders.
//@ revisions: late broadcast right
//@ args: -k
//@[late] cflags: -DLATE -DWAKE=pthread_cond_signal
//@[late] expect: bug
//@[late] kind: data-race not-destroyed
//@[broadcast] cflags: -DLATE -DWAKE=pthread_cond_broadcast
//@[broadcast] expect: bug
//@[broadcast] kind: data-race not-destroyed
//@[right] cflags: -DWAKE=pthread_cond_signal
//@[right] expect: verified
//@[right] executions: 2
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *changed;
static int ready;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    ready = 1;
#ifdef LATE
    pthread_mutex_unlock(&mutex);
    WAKE(changed); //~[late] data-race
#else
    WAKE(changed);
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    changed = malloc(sizeof *changed);
    pthread_cond_init(changed, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(changed, &mutex);
    pthread_mutex_unlock(&mutex);
#ifndef LATE
    pthread_cond_destroy(changed);
#endif
    free(changed); //~[late] data-race
    pthread_join(thread, 0);
    return 0;
}
