// By default, or with --timeouts, a timer of processor time expires at any moment, or never: before the store, after it, or too
// late. With none, it never expires.
//@ revisions: any early never before
//@ expect: verified
//@[any] args: --timeouts
//@[before] args: --timeouts
//@[before] cflags: -DBEFORE
//@[any] outcomes: seen=-1 | seen=0 | seen=1
//@[before] outcomes: seen=-1 | seen=0 | seen=1
//@[early] outcomes: seen=-1 | seen=0 | seen=1
//@[never] args: --timeouts=none
//@[never] outcomes: seen=-1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static atomic_int stored;
static int seen = -1;

static void handler(int signal, siginfo_t *information, void *context) {
    (void)context;
    dpor_assert(signal == SIGPROF && information->si_code == SI_KERNEL);
    seen = atomic_load(&stored);
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    struct itimerval timer = {{0, 0}, {100, 0}};
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGPROF, &action, 0);
#ifdef BEFORE
    setitimer(ITIMER_PROF, &timer, 0);
#endif
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
#ifndef BEFORE
    setitimer(ITIMER_PROF, &timer, 0);
#endif
    atomic_store(&stored, 1);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    dpor_observe("seen", seen);
    return 0;
}
