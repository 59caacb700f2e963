// A signal to the process that both threads block is pending for it. Whoever lets it in first takes it:
// exactly one handler runs.
//@ expect: verified
//@ outcomes: runs=1 by_main=0 | runs=1 by_main=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t set;
static pthread_t first;
_Atomic int runs, by_main;

static void handler(int signal) {
    (void)signal;
    runs++;
    if (pthread_equal(pthread_self(), first)) by_main = 1;
}

static void *work(void *unused) {
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    first = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGUSR1, handler);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, work, 0);
    kill(getpid(), SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
    pthread_join(thread, 0);
    dpor_observe("runs", runs);
    dpor_observe("by_main", by_main);
    return 0;
}
