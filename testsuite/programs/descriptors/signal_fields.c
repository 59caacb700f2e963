// One thread sends to itself and reads. What is pending for the thread comes before what is pending for the
// process, then the lowest number, then the order of sending; which fields are set depends on who sent it.
// Once the timer is disarmed, who waits for it notices where nothing else can go on: while main waits for the
// alarm, before that expires or after. 2 executions.
//@ args: --timeouts=none
//@ expect: verified
//@ executions: 2
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    sigset_t set, other;
    struct signalfd_siginfo got[4];
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGALRM);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);

    dpor_assert(signalfd(-1, &set, 1) == -1 && errno == EINVAL);
    dpor_assert(signalfd(0, &set, 0) == -1 && errno == EINVAL);
    dpor_assert(signalfd(99, &set, 0) == -1 && errno == EBADF);
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    dpor_assert(fd >= 0);
    dpor_assert(read(fd, got, sizeof(got)) == -1 && errno == EAGAIN);
    dpor_assert(read(fd, got, sizeof(got[0]) - 1) == -1 && errno == EINVAL);
    dpor_assert(write(fd, got, sizeof(got[0])) == -1 && errno == EINVAL);

    // Pending once, however often it is sent; twice if it is a real-time signal.
    union sigval value = {.sival_int = 5};
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR1);
    sigqueue(getpid(), SIGRTMIN, value);
    value.sival_int = 6;
    sigqueue(getpid(), SIGRTMIN, value);
    raise(SIGUSR2);
    struct pollfd one = {fd, POLLIN | POLLOUT, 0};
    dpor_assert(poll(&one, 1, 0) == 1 && one.revents == POLLIN);
    dpor_assert(read(fd, got, 2 * sizeof(got[0]) + 1) == 2 * sizeof(got[0]));
    dpor_assert(got[0].ssi_signo == SIGUSR2 && got[0].ssi_code == SI_TKILL);
    dpor_assert(got[0].ssi_pid == (uint32_t)getpid() && got[0].ssi_uid == getuid());
    dpor_assert(got[1].ssi_signo == SIGUSR1 && got[1].ssi_code == SI_USER);
    dpor_assert(read(fd, got, sizeof(got)) == 2 * sizeof(got[0]));
    dpor_assert(got[0].ssi_signo == (uint32_t)SIGRTMIN && got[0].ssi_code == SI_QUEUE && got[0].ssi_int == 5);
    dpor_assert(got[1].ssi_signo == (uint32_t)SIGRTMIN && got[1].ssi_int == 6);
    dpor_assert(got[1].ssi_ptr == (uint64_t)value.sival_ptr && got[1].ssi_errno == 0 && got[1].ssi_addr == 0);
    dpor_assert(poll(&one, 1, 0) == 0);

    // Of those for the process, what faults have comes first.
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGFPE);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    dpor_assert(signalfd(fd, &set, 0) == fd);
    kill(getpid(), SIGHUP);
    kill(getpid(), SIGFPE);
    dpor_assert(read(fd, got, sizeof(got)) == 2 * sizeof(got[0]));
    dpor_assert(got[0].ssi_signo == SIGFPE && got[1].ssi_signo == SIGHUP);

    // What is not in the set stays pending; the set can be changed.
    sigemptyset(&other);
    sigaddset(&other, SIGUSR2);
    dpor_assert(signalfd(fd, &other, 0) == fd);
    kill(getpid(), SIGUSR1);
    dpor_assert(read(fd, got, sizeof(got)) == -1 && errno == EAGAIN);
    dpor_assert(signalfd(fd, &set, 0) == fd);
    dpor_assert(read(fd, got, sizeof(got)) == sizeof(got[0]) && got[0].ssi_signo == SIGUSR1);

    // Signals of timers come where nothing else can go on.
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 9};
    struct itimerspec second = {{1, 0}, {1, 0}}, never = {{0, 0}, {0, 0}};
    dpor_assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    timer_settime(timer, 0, &second, 0);
    for (int i = 0; i < 2; i++) {
        dpor_assert(poll(&one, 1, -1) == 1);
        dpor_assert(read(fd, got, sizeof(got)) == sizeof(got[0]) && got[0].ssi_code == SI_TIMER);
        dpor_assert(got[0].ssi_int == 9 && got[0].ssi_tid == (uint32_t)(uintptr_t)timer && got[0].ssi_pid == 0);
    }
    timer_settime(timer, 0, &never, 0);
    alarm(1);
    dpor_assert(poll(&one, 1, -1) == 1 && read(fd, got, sizeof(got)) == sizeof(got[0]));
    dpor_assert(got[0].ssi_signo == SIGALRM && got[0].ssi_code == SI_KERNEL && got[0].ssi_pid == 0);
    dpor_assert(close(fd) == 0 && read(fd, got, sizeof(got)) == -1 && errno == EBADF);
    return 0;
}
