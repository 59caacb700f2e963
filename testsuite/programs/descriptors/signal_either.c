// Whether a reader takes a signal, or a thread that does not block it or waits for it, is the kernel's choice.
//@ expect: unsupported
//@ revisions: open waits thread
//@[open] cflags: -DOPEN
//@[waits] cflags: -DWAITS
//@[thread] cflags: -DTHREAD
//@ reason: a signal that a signalfd reads and that a thread does not block, or waits for
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static sigset_t set;

static void handler(int signal) { (void)signal; }

static void *work(void *unused) {
#if defined(WAITS)
    struct timespec second = {1, 0};
    sigtimedwait(&set, 0, &second);
#else
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    struct signalfd_siginfo got;
    signal(SIGUSR1, handler);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    int fd = signalfd(-1, &set, SFD_NONBLOCK);
    pthread_create(&thread, 0, work, 0);
#if defined(THREAD)
    pthread_kill(thread, SIGUSR1);
#else
    kill(getpid(), SIGUSR1);
#endif
    read(fd, &got, sizeof(got));
    pthread_join(thread, 0);
    return 0;
}
