// A signal to a thread is read by that thread only: main never sees it, the other thread waits until it is
// there. Main's look finds nothing before it is sent, and nothing afterwards.
//@ expect: verified
//@ outcomes: main=0 other=10
//@ dfs: same-outcomes
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd, other;

static void *work(void *unused) {
    struct signalfd_siginfo got;
    struct pollfd one = {fd, POLLIN, 0};
    dpor_assert(poll(&one, 1, -1) == 1 && one.revents == POLLIN);
    dpor_assert(read(fd, &got, sizeof(got)) == sizeof(got) && got.ssi_code == SI_TKILL);
    other = got.ssi_signo;
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    struct pollfd one;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    fd = signalfd(-1, &set, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGUSR1);
    one = (struct pollfd){fd, POLLIN, 0};
    int seen = poll(&one, 1, 0);
    pthread_join(thread, 0);
    dpor_observe("main", seen);
    dpor_observe("other", other);
    return 0;
}
