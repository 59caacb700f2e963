// A thread waits for a signal that never comes; main cancels it, before it waits or while it does. It
// has the mutex again when its handler runs, which gives it back. Nothing else ever ends the wait.
//@ expect: verified
//@ outcomes: handled=1 cancelled=1
//@ dfs: same-outcomes
//@ opt: O0 O2
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
int handled;

static void unlock(void *held) {
    handled++;
    dpor_assert(pthread_mutex_unlock(held) == 0);
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    for (;;) pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    dpor_assert(pthread_mutex_trylock(&mutex) == 0);
    dpor_observe("handled", handled);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    return 0;
}
