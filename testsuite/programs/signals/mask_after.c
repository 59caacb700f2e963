// A signal may arrive just before a thread blocks it: the handler sees the store, or not, or does not run.
//@ expect: verified
//@ outcomes: seen=-1 | seen=0 | seen=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int stored;
static int seen = -1;
static pthread_t first;

static void handler(int signal) {
    (void)signal;
    seen = atomic_load(&stored);
}

static void *work(void *unused) {
    pthread_kill(first, SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGUSR1, handler);
    first = pthread_self();
    pthread_create(&thread, 0, work, 0);
    atomic_store(&stored, 1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    dpor_observe("seen", seen);
    pthread_join(thread, 0);
    return 0;
}
