// Several late signals, or several threads.
//
// two: main sends SIGUSR2 (K), SIGUSR1 (M) and posts (S). The thread looks for signals once more when it is
// about to run a handler; where it finds another one then, that one's handler runs first, as Linux puts one frame upon
// the other. So of two that are there, SIGUSR1 is taken, and SIGUSR2's handler runs first: 21.
// No signal is awaited: both are there after S, 21: 1. Otherwise main posts to the thread (P), which looks for signals
// (1), for a count (V), for signals again, to take one (2), before its handler (3), after that (4), and before it
// waits on (5). M before 1: main posts a second time, before the thread took the first post or after, and V is before S
// or after: 4 of 21. M between 1 and 2: V before S or after: 2 of 21. From here on V is before S. M between 2 and 3:
// 1 of 12. Between 3 and 4: 1 of 21. Between 4 and 5: it tries to get the count before S or after, 2 of 21. After 5:
// 1 of 21. 12 in all.
// threads: two threads, a signal and a post for each. Each awaits its signal or not; if so, it looks for the count
// before the post or after: 3 times 3. They give up in order: the second one first, and then the first one, is blocked, 1.
// masked: the thread blocks the signal, and lets it in after its wait: 1, x=2.
// sigwait: the thread waits for it: it reads x before main stores 1, 2, or after: 3.
// handed: the handler posts what main waits for, before that lets the thread go. The thread awaits the signal: 1.
// If not, nothing can go on, but the thread would: 1 blocked.
// asked: how a thread is asked to stop: 1, and the same 1 blocked.
//@ args: --timeouts=none
//@ revisions: two threads masked sigwait handed asked
//@ expect: verified
//@[two] dfs: same-outcomes
//@[masked] dfs: same-outcomes
//@[sigwait] dfs: same-outcomes
//@[handed] dfs: same-outcomes
//@[asked] dfs: same-outcomes
//@[two] cflags: -DTWO
//@[two] executions: 12
//@[two] outcomes: order=12 *1 | order=21 *11
//@[threads] cflags: -DTHREADS
//@[threads] executions: 9
//@[threads] blocked: 1
//@[threads] outcomes: order=0 *9
//@[masked] cflags: -DMASKED
//@[masked] executions: 1
//@[masked] outcomes: order=2 *1
//@[sigwait] cflags: -DSIGWAIT
//@[sigwait] executions: 3
//@[sigwait] outcomes: order=0 *1 | order=1 *1 | order=2 *1
//@[handed] cflags: -DHANDED
//@[handed] executions: 1
//@[handed] blocked: 1
//@[handed] outcomes: order=1 *1
//@[asked] cflags: -DASKED
//@[asked] executions: 1
//@[asked] blocked: 1
//@[asked] outcomes: order=1 *1
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static sem_t never, counts[2], answered;
static atomic_int x, stop;
static int order;

static void handler(int signal) {
    (void)signal;
#ifdef TWO
    order = order * 10 + (signal == SIGUSR1 ? 1 : 2);
#elif defined MASKED
    order = x;
#elif defined HANDED
    order++;
    sem_post(&answered);
#elif defined ASKED
    order++;
#endif
}

static void *work(void *own) {
    sigset_t set;
    int signal;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    (void)signal;
#ifdef MASKED
    pthread_sigmask(SIG_BLOCK, &set, 0);
#endif
#ifdef SIGWAIT
    sigwait(&set, &signal);
    order = x;
#elif defined ASKED
    while (!stop) sem_wait(own);
#else
    sem_wait(own);
#endif
#ifdef MASKED
    pthread_sigmask(SIG_UNBLOCK, &set, 0);
#endif
    return 0;
}

int main(void) {
    pthread_t threads[2];
    struct timespec until = {4000000000, 0};
    struct sigaction action = {.sa_handler = handler};
#ifdef SIGWAIT
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
#endif
#ifndef ASKED
    action.sa_flags = SA_RESTART;
#endif
    int count = 1;
#ifdef THREADS
    count = 2;
#endif
    sem_init(&never, 0, 0);
    sem_init(&answered, 0, 0);
    for (int i = 0; i < 2; i++) sem_init(&counts[i], 0, 0);
    sigaction(SIGUSR1, &action, 0);
    sigaction(SIGUSR2, &action, 0);
    for (int i = 0; i < count; i++) pthread_create(&threads[i], 0, work, &counts[i]);
    sem_timedwait(&never, &until);
#ifdef TWO
    pthread_kill(threads[0], SIGUSR2);
#endif
#ifdef ASKED
    stop = 1;
#endif
    for (int i = 0; i < count; i++) pthread_kill(threads[i], SIGUSR1);
#if defined MASKED || defined SIGWAIT
    x = 1;
    x = 2;
#endif
#ifdef HANDED
    sem_wait(&answered);
#endif
#if !defined ASKED && !defined SIGWAIT
    for (int i = 0; i < count; i++) sem_post(&counts[i]);
#endif
    for (int i = 0; i < count; i++) pthread_join(threads[i], 0);
    dpor_observe("order", order);
    sem_destroy(&never);
    sem_destroy(&answered);
    for (int i = 0; i < 2; i++) sem_destroy(&counts[i]);
    return 0;
}
