// A signal that only a time-out led to arrives where nothing else can go on, or when the thread is woken: here
// after all that main does. A real handler runs beside it and can see 0, 1 or 2.
//@ known-gap: the handler should run beside what main does after pthread_kill, with x=0, x=1 and x=2 (decision 0043)
//@ expect: verified
//@ executions: 1
//@ outcomes: x=2
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
