// A thread waits for a signal that all block; main sends it, before the thread waits or while it does.
// It always comes, with what was sent. Another signal that the thread does not wait for stays pending.
//@ expect: verified
//@ outcomes: got=10
//@ dfs: same-outcomes
#define _GNU_SOURCE
#include <dpor.h>
#include <pthread.h>
#include <signal.h>

static sigset_t set;

static void *work(void *unused) {
    siginfo_t information;
    int signal = sigwaitinfo(&set, &information);
    dpor_assert(information.si_signo == SIGUSR1 && information.si_value.sival_int == 7);
    dpor_observe("got", signal);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t all;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    all = set;
    sigaddset(&all, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &all, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGUSR2);
    pthread_sigqueue(thread, SIGUSR1, (union sigval){.sival_int = 7});
    pthread_join(thread, 0);
    return 0;
}
