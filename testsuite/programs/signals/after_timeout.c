// The time-out comes only because the thread waits. What it is sent after that cannot have come before.
// signal: so the thread may await it before main gives up, and its handler runs: 1. Otherwise nothing can go on, but the
// thread would: no possible execution, 1 blocked.
// condition: the same, but nothing wakes the thread after the handler: a deadlock, and 1 blocked.
// cancel: a request ends the wait (cancel/late.c).
//@ args: --timeouts=none
//@ revisions: signal condition cancel
//@[signal] expect: verified
//@[signal] executions: 1
//@[signal] blocked: 1
//@[signal] cflags: -DHOW=0
//@[condition] expect: bug
//@[condition] kind: deadlock
//@[condition] cflags: -DHOW=1
//@[cancel] expect: verified
//@[cancel] executions: 1
//@[cancel] cflags: -DHOW=2
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t never, unlocks;

static void handler(int signal) {
    (void)signal;
    sem_post(&unlocks);
}

static void *work(void *unused) {
    if (HOW == 1) {
        pthread_mutex_lock(&other);
        pthread_cond_wait(&condition, &other); //~[condition] deadlock
        pthread_mutex_unlock(&other);
    }
    if (HOW == 2) sem_wait(&unlocks);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec until;
    sem_init(&never, 0, 0);
    sem_init(&unlocks, 0, 0);
    signal(SIGUSR1, handler);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    sem_timedwait(&never, &until);
    if (HOW == 2)
        pthread_cancel(thread);
    else
        pthread_kill(thread, SIGUSR1);
    if (HOW != 2) sem_wait(&unlocks);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    sem_destroy(&never);
    sem_destroy(&unlocks);
    return 0;
}
