// Its repair: the signal is blocked until sigsuspend lets it in. It always ends, and the mask is the old
// one afterwards.
//@ expect: verified
//@ outcomes: handled=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>

int handled;

static void handler(int signal) {
    (void)signal;
    handled++;
}

static void *work(void *unused) {
    sigset_t none, now;
    sigemptyset(&none);
    dpor_assert(sigsuspend(&none) == -1 && errno == EINTR);
    pthread_sigmask(SIG_BLOCK, 0, &now);
    dpor_assert(sigismember(&now, SIGUSR1));
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGUSR1, handler);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, 0);
    dpor_observe("handled", handled);
    return 0;
}
