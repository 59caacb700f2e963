// A signal that only a time-out led to arrives while its thread blocks, beside what main does after it sent it.
// Where nothing else can go on, the thread may give up its wait to await a signal (G), before main's time-out.
// Main sends (K), posts to a thread that awaits (P), stores 1 and 2, and posts what the thread waits for (S).
//
// No G: the thread gets the count after S, and the handler runs after that: x=2. 1.
// G: it is woken by P and looks whether there is a count (V). V before S: the handler reads x before both stores,
// between them, or after them: 3. V after S: x=2, 1. Then it waits on and gets the count. 5 in all.
//@ args: --timeouts=none
//@ expect: verified
//@ executions: 5
//@ outcomes: x=0 *1 | x=1 *1 | x=2 *3
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static sem_t never, ends;
static atomic_int x;
static int seen;

static void handler(int signal) {
    seen = x;
    (void)signal;
}

static void *work(void *unused) {
    sem_wait(&ends);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec until = {4000000000, 0};
    sem_init(&never, 0, 0);
    sem_init(&ends, 0, 0);
    signal(SIGUSR1, handler);
    pthread_create(&thread, 0, work, 0);
    sem_timedwait(&never, &until);
    pthread_kill(thread, SIGUSR1);
    x = 1;
    x = 2;
    sem_post(&ends);
    pthread_join(thread, 0);
    dpor_observe("x", seen);
    sem_destroy(&never);
    sem_destroy(&ends);
    return 0;
}
