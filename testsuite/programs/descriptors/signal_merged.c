// A signal that is sent again while it is pending is pending once. Whoever counts on two waits for ever, if
// both were sent before the first was read.
//@ expect: bug
//@ kind: deadlock
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void *work(void *unused) {
    kill(getpid(), SIGUSR1);
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
    int fd = signalfd(-1, &set, 0);
    pthread_create(&thread, 0, work, 0);
    read(fd, &got, sizeof(got));
    read(fd, &got, sizeof(got));
    pthread_join(thread, 0);
    return 0;
}
