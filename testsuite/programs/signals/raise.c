// raise runs the handler before it returns. With SA_SIGINFO it is told what was sent; with SA_RESETHAND
// the next one would be fatal; what sa_mask blocks waits until the handler is done; a blocked signal waits
// until it is unblocked, and runs before the mask's change returns.
//@ expect: verified
//@ executions: 1
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

int first, second, told;

static void on_second(int signal) {
    (void)signal;
    second++;
}

static void on_first(int signal) {
    dpor_assert(signal == SIGUSR1);
    raise(SIGUSR2);
    dpor_assert(second == 0);
    first++;
}

static void on_told(int signal, siginfo_t *information, void *context) {
    dpor_assert(signal == SIGTERM && information->si_signo == SIGTERM && context != 0);
    dpor_assert(information->si_code == SI_QUEUE && information->si_value.sival_int == 42);
    told++;
}

static void *work(void *unused) {
    struct sigaction action;
    sigset_t set, pending, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_second;
    sigaction(SIGUSR2, &action, 0);
    action.sa_handler = on_first;
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, 0);
    dpor_assert(raise(SIGUSR1) == 0);
    dpor_assert(first == 1 && second == 1);

    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_told;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    sigaction(SIGTERM, &action, 0);
    dpor_assert(pthread_sigqueue(pthread_self(), SIGTERM, (union sigval){.sival_int = 42}) == 0);
    dpor_assert(told == 1);
    sigaction(SIGTERM, 0, &action);
    dpor_assert(action.sa_handler == SIG_DFL);

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    dpor_assert(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
    dpor_assert(!sigismember(&old, SIGUSR2));
    raise(SIGUSR2);
    raise(SIGUSR2);
    dpor_assert(second == 1);
    dpor_assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR2));
    dpor_assert(pthread_sigmask(SIG_UNBLOCK, &set, 0) == 0);
    dpor_assert(second == 2);
    dpor_assert(pthread_sigmask(99, &set, 0) == EINVAL);
    dpor_assert(pthread_kill(pthread_self(), 0) == 0);
    dpor_assert(pthread_kill(pthread_self(), 999) == EINVAL);

    signal(SIGUSR2, SIG_IGN);
    raise(SIGUSR2);
    dpor_assert(second == 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
