// A read with room for two takes the signals one by one: while it does, another may be sent, or read.
// Main sends a and b and reads up to two, in events 1 and 2; the other reads up to one, in event l. Nobody
// waits. Orders: l a b 1 2 and a b 1 2 l, main has both; a l b 1 2 and a b l 1 2, the other has a; a b 1 l 2,
// it has b. 5 executions.
//@ expect: verified
//@ executions: 5
//@ outcomes: main=12 other=0 *2 | main=2 other=1 *2 | main=1 other=2 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd, other;

static void *work(void *unused) {
    struct signalfd_siginfo got;
    if (read(fd, &got, sizeof(got)) > 0) other = got.ssi_int;
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    struct signalfd_siginfo got[2];
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    fd = signalfd(-1, &set, SFD_NONBLOCK);
    pthread_create(&thread, 0, work, 0);
    for (int k = 1; k <= 2; k++) {
        union sigval value = {.sival_int = k};
        sigqueue(getpid(), SIGRTMIN, value);
    }
    int mine = 0;
    long bytes = read(fd, got, sizeof(got));
    for (int k = 0; k < bytes / (long)sizeof(got[0]); k++) mine = 10 * mine + got[k].ssi_int;
    pthread_join(thread, 0);
    dpor_observe("main", mine);
    dpor_observe("other", other);
    return 0;
}
