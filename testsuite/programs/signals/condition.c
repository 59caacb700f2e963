// A handler runs while its thread waits on a condition variable, and the wait goes on: what main signals
// after it sent the signal is not lost. The thread looks for signals before it locks, waits, wakes and
// unlocks. Main's section comes
// - first: the signal is there before the first look or before the last, 2;
// - while the thread waits: before one of the first three looks, or before the last, 4.
//@ expect: verified
//@ executions: 6
//@ outcomes: ran=1 *6
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready, ran;

static void handler(int signal) {
    (void)signal;
    ran = 1;
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!ready) dpor_assert(pthread_cond_wait(&condition, &mutex) == 0);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handler);
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGUSR1);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    dpor_observe("ran", ran);
    return 0;
}
