// The flag is set without the lock, so the signal can come between the waiter's look and its wait.
// Flag set before the look: no wait. Set and signalled after the wait began: woken. Set after the
// look, signal before the wait: sleeps for ever.
//@ golden: yes
//@ expect: bug
//@ kind: deadlock lost-wakeup
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static atomic_int flag;

static void *waiter(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!atomic_load(&flag)) pthread_cond_wait(&ready, &mutex); //~ deadlock
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *setter(void *unused) {
    atomic_store(&flag, 1);
    pthread_cond_signal(&ready);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, setter, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
