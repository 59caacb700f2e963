// A thread that waits for signals can be asked to end: it leaves where it waits, or it has read the signal by
// then. It reads from a copy of the descriptor, by a system call of its own in one revision.
//@ expect: verified
//@ revisions: read raw
//@[read] cflags: -DRAW=0
//@[raw] cflags: -DRAW=1
//@[read] outcomes: cancelled=1 left=1 | cancelled=0 left=0
//@[raw] outcomes: cancelled=0 left=0
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fd;

static void *work(void *unused) {
    struct signalfd_siginfo got;
#if RAW
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    long bytes = syscall(SYS_read, fd, &got, sizeof(got));
#else
    long bytes = read(fd, &got, sizeof(got));
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
#endif
    dpor_assert(bytes == sizeof(got) && got.ssi_signo == SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    void *result;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    int first = signalfd(-1, &set, SFD_NONBLOCK);
    fd = dup(signalfd(-1, &set, 0));
    pthread_create(&thread, 0, work, 0);
#if !RAW
    pthread_cancel(thread);
#endif
    kill(getpid(), SIGUSR1);
    pthread_join(thread, &result);
    struct signalfd_siginfo left;
    dpor_observe("left", read(first, &left, sizeof(left)) == sizeof(left));
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    return 0;
}
