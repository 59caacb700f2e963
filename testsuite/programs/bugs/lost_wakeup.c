// A wait that asks no question first: a signal that came before is lost.
// The two sections have two orders. Waiter first: woken, complete. Signaller first: the waiter
// sleeps for ever, a deadlock.
//@ revisions: first all
//@ expect: bug
//@[first] kind: deadlock lost-wakeup
//@[all] kind: deadlock lost-wakeup
//@[all] args: -k
//@[all] executions: 1
//@[all] deadlocked: 1
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void *waiter(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&ready, &mutex); //~ deadlock
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *signaller(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, signaller, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
