// A POSIX timer sends a real-time signal with a value to whoever waits for it. A timer without a notice
// can be asked how much is left.
//@ args: --timeouts=none
//@ expect: verified
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

static void *work(void *unused) {
    sigset_t set;
    siginfo_t information;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    dpor_assert(sigwaitinfo(&set, &information) == SIGRTMIN);
    dpor_assert(information.si_value.sival_int == 7 && information.si_code == SI_TIMER);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    timer_t timer, silent;
    struct itimerspec second = {{0, 0}, {1, 0}}, left;
    struct timespec half = {0, 500000000};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    event.sigev_value.sival_int = 7;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, work, 0);
    dpor_assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    dpor_assert(timer_settime(timer, 0, &second, 0) == 0);
    pthread_join(thread, 0);
    dpor_assert(timer_gettime(timer, &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
    dpor_assert(timer_getoverrun(timer) == 0 && timer_delete(timer) == 0);
    dpor_assert(timer_delete(timer) == -1 && errno == EINVAL);

    event.sigev_notify = SIGEV_NONE;
    dpor_assert(timer_create(CLOCK_REALTIME, &event, &silent) == 0);
    dpor_assert(timer_settime(silent, 0, &second, 0) == 0);
    nanosleep(&half, 0);
    dpor_assert(timer_gettime(silent, &left) == 0);
    dpor_assert(left.it_value.tv_sec == 0 && left.it_value.tv_nsec <= 500000000 && left.it_value.tv_nsec > 0);
    nanosleep(&half, 0);
    dpor_assert(timer_gettime(silent, &left) == 0 && left.it_value.tv_nsec == 0);
    return 0;
}
