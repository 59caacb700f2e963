// Main reads a signal that the other thread sends to the process, and then what that thread wrote before. The
// look and the sending conflict with everything, and nothing else happens: either the signal is there when
// main looks, or main waits until it is told, and looks again. What was written is seen, without a race.
//@ expect: verified
//@ executions: 2
//@ outcomes: code=0 data=7 signal=10
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int data;

static void *work(void *unused) {
    data = 7;
    kill(getpid(), SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    struct signalfd_siginfo got;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    int fd = signalfd(-1, &set, SFD_CLOEXEC);
    pthread_create(&thread, 0, work, 0);
    dpor_assert(read(fd, &got, sizeof(got)) == sizeof(got));
    dpor_assert(got.ssi_pid == (unsigned)getpid() && got.ssi_uid == getuid() && got.ssi_ptr == 0);
    dpor_observe("data", data);
    dpor_observe("signal", got.ssi_signo);
    dpor_observe("code", got.ssi_code);
    pthread_join(thread, 0);
    return 0;
}
