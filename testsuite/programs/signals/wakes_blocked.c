// A thread waits for a mutex, and the signal's handler is what makes main give it back: the handler runs
// although the thread cannot go on. No deadlock.
//@ expect: verified
//@ outcomes: ran=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, handled = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ran;

static void handler(int signal) {
    (void)signal;
    atomic_store(&ran, 1);
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handler);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGUSR1);
    dpor_assume(atomic_load(&ran));
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    dpor_observe("ran", ran);
    return 0;
}
