// The same, but the thread inherits a mask that blocks the signal: the handler never runs, a deadlock.
//@ expect: bug
//@ kind: deadlock
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t first;

static void handler(int signal) {
    (void)signal;
    pthread_kill(first, SIGUSR2);
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex); //~ deadlock
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    int got;
    first = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    signal(SIGUSR1, handler);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGUSR1);
    sigdelset(&set, SIGUSR1);
    sigwait(&set, &got); //~ deadlock
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
