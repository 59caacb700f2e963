// A thread waits again and again for the signal of a timer with an interval, which all block. One of the
// signals comes while main waits for something else, with a limit: the timer does not expire again until
// somebody has taken it. Where nothing can go on first, main gives up (1), or the timer expires. If so, main
// gives up next (1), or the timer would expire again, and nobody waits for it until main took the signal (1).
//@ args: --timeouts=none
//@ expect: verified
//@ executions: 3
//@ outcomes: taken=3 *3
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    struct itimerval timer = {{1, 0}, {1, 0}};
    struct timespec never = {1L << 40, 0};
    sem_t semaphore;
    sigset_t set;
    int signal, taken = 0;
    sem_init(&semaphore, 0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    setitimer(ITIMER_REAL, &timer, 0);
    sem_timedwait(&semaphore, &never);
    while (taken < 3) {
        dpor_assert(sigwait(&set, &signal) == 0 && signal == SIGALRM);
        taken++;
    }
    dpor_observe("taken", taken);
    return 0;
}
