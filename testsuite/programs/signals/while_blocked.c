// A handler runs while its thread waits for a mutex, and answers with a signal that main waits for before
// it gives the mutex back. No deadlock: what looks like one (the thread looked for signals, then waits for
// the mutex and does not look again) is no possible execution, and counts as blocked.
//@ expect: verified
//@ outcomes: answered=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t first;

static void handler(int signal) {
    (void)signal;
    pthread_kill(first, SIGUSR2);
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    int got;
    first = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    signal(SIGUSR1, handler);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGUSR1);
    sigwait(&set, &got);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    dpor_observe("answered", got == SIGUSR2);
    return 0;
}
