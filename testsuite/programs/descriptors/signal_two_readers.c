// Two threads read one descriptor, and two signals of one number are sent to the process. Each is read once,
// in the order of sending, by whoever looks first.
//@ expect: verified
//@ outcomes: one=1 two=2 | one=2 two=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd, read_by[2];

static void *work(void *number) {
    struct signalfd_siginfo got;
    dpor_assert(read(fd, &got, sizeof(got)) == sizeof(got));
    *(int *)number = got.ssi_int;
    return 0;
}

int main(void) {
    pthread_t one, two;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    fd = signalfd(-1, &set, 0);
    pthread_create(&one, 0, work, &read_by[0]);
    pthread_create(&two, 0, work, &read_by[1]);
    for (int k = 1; k <= 2; k++) {
        union sigval value = {.sival_int = k};
        sigqueue(getpid(), SIGRTMIN, value);
    }
    pthread_join(one, 0);
    pthread_join(two, 0);
    dpor_observe("one", read_by[0]);
    dpor_observe("two", read_by[1]);
    return 0;
}
