// Main reads a signal that the other thread sends to the process. Every look and every send conflicts with
// everything. The look comes first, and main waits until it is told; or the send comes first: two executions
// with the same outcome.
//@ expect: verified
//@ outcomes: code=0 signal=10
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void *work(void *unused) {
    dpor_assert(kill(getpid(), SIGUSR1) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    struct signalfd_siginfo got;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, work, 0);
    int fd = signalfd(-1, &set, SFD_CLOEXEC);
    dpor_assert(fd >= 0);
    dpor_assert(read(fd, &got, sizeof(got)) == sizeof(got));
    dpor_assert(got.ssi_pid == (unsigned)getpid() && got.ssi_uid == getuid() && got.ssi_ptr == 0);
    pthread_join(thread, 0);
    dpor_observe("signal", got.ssi_signo);
    dpor_observe("code", got.ssi_code);
    close(fd);
    return 0;
}
