// The handler of another signal, which main does not block, runs before the read or in it. In it, it ends the
// read, unless it was installed with SA_RESTART; then main reads what it waits for all the same.
//@ expect: verified
//@ revisions: ends restarts
//@[restarts] cflags: -DFLAGS=SA_RESTART
//@[ends] cflags: -DFLAGS=0
//@[ends] outcomes: handled=1 interrupted=0 | handled=1 interrupted=1
//@[restarts] outcomes: handled=1 interrupted=0
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static pthread_t first;
static volatile sig_atomic_t handled;

static void handler(int signal) {
    (void)signal;
    handled++;
}

static void *work(void *unused) {
    pthread_kill(first, SIGUSR2);
    kill(getpid(), SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    struct signalfd_siginfo got;
    struct sigaction action = {.sa_handler = handler, .sa_flags = FLAGS};
    int interrupted = 0;
    first = pthread_self();
    sigaction(SIGUSR2, &action, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    int fd = signalfd(-1, &set, 0);
    pthread_create(&thread, 0, work, 0);
    while (read(fd, &got, sizeof(got)) != sizeof(got)) {
        dpor_assert(errno == EINTR);
        interrupted++;
    }
    dpor_assert(got.ssi_signo == SIGUSR1);
    pthread_join(thread, 0);
    dpor_observe("handled", handled);
    dpor_observe("interrupted", interrupted);
    return 0;
}
