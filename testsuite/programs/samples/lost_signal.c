// Whether there is something to wait for is looked at without the mutex: the signal may come between the look and
// the wait, and then nobody wakes the waiter.
//@ expect: bug
//@ kind: deadlock lost-wakeup
//@ checkpoint: snapshot
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *await(void *unused) {
    if (!ready) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *announce(void *unused) {
    ready = 1;
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t waiter, signaller;
    pthread_create(&waiter, 0, await, 0);
    pthread_create(&signaller, 0, announce, 0);
    pthread_join(waiter, 0);
    pthread_join(signaller, 0);
}
