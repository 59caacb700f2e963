// The usual way to handle signals with threads: all block them, one thread takes what is sent to the
// process. SIGTERM ends its loop. Whether it waits already when a signal is sent does not matter.
//@ expect: verified
//@ outcomes: hups=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t set;
int hups;

static void *handle(void *unused) {
    for (;;) {
        int signal;
        dpor_assert(sigwait(&set, &signal) == 0);
        if (signal == SIGTERM) return unused;
        dpor_assert(signal == SIGHUP);
        hups++;
    }
}

int main(void) {
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, handle, 0);
    kill(getpid(), SIGHUP);
    kill(getpid(), SIGTERM);
    pthread_join(thread, 0);
    dpor_observe("hups", hups);
    return 0;
}
