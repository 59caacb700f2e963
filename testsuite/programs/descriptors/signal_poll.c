// Main waits for a signal or a byte, with a time-out. Who came first, or both, is seen by poll; the time-out
// only if it may come at any moment.
//@ expect: verified
//@ revisions: wait early any
//@[any] args: --timeouts
//@[early] outcomes: ready=0 | ready=1 | ready=2 | ready=3
//@[wait] args: --timeouts=none
//@[wait] outcomes: ready=1 | ready=2 | ready=3
//@[any] outcomes: ready=0 | ready=1 | ready=2 | ready=3
//@ dfs: same-outcomes
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int ends[2];

static void *sender(void *unused) {
    kill(getpid(), SIGUSR1);
    return unused;
}

static void *writer(void *unused) {
    dpor_assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void) {
    pthread_t one, two;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    int fd = signalfd(-1, &set, 0);
    pipe(ends);
    pthread_create(&one, 0, sender, 0);
    pthread_create(&two, 0, writer, 0);
    struct pollfd all[2] = {{fd, POLLIN, 0}, {ends[0], POLLIN, 0}};
    poll(all, 2, 1000);
    dpor_observe("ready", (all[0].revents == POLLIN) + 2 * (all[1].revents == POLLIN));
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
