// A thread that waits for a signal is cancelled; no signal comes: it always leaves. The execution in which
// it looked for a request before there was one, and then waits for ever, is no possible one.
//@ expect: verified
//@ outcomes: cancelled=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>

static void *work(void *unused) {
    sigset_t set;
    int signal;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    sigwait(&set, &signal);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    return 0;
}
