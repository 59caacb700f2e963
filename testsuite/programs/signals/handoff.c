// sigwait gets what was written before the signal was sent, whether it waited for it or the signal was
// pending for the process.
//@ expect: verified
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t set;
int data;

static void *work(void *unused) {
    int signal;
    sigwait(&set, &signal);
    dpor_assert(data == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, work, 0);
    data = 1;
    kill(getpid(), SIGUSR1);
    pthread_join(thread, 0);
    return 0;
}
