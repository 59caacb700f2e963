// A wait with a time limit, for what a handler does in a thread that blocks. The limit is reached only where
// nothing else can go on, and the thread that was sent the signal would.
//
// The thread looks for signals before it calls sem_wait, and in the call. The signal comes before the first look,
// or between the two: 2 executions. Or after both: the thread would run its handler then, which it also does
// in the others, so that this is no execution: 1 blocked.
//@ args: --timeouts=none
//@ opt: O0 O2
//@ expect: verified
//@ executions: 2
//@ blocked: 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t posted, never;

static void handle(int number) {
    (void)number;
    sem_post(&posted);
}

static void *block(void *unused) {
    while (sem_wait(&never) && errno != EINTR) {
    }
    return unused;
}

static void *wait_a_while(void *unused) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1000;
    int result = sem_timedwait(&posted, &until);
    assert(result == 0);
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_handler = handle};
    pthread_t blocked, waiting;
    sigaction(SIGUSR1, &action, 0);
    sem_init(&posted, 0, 0);
    sem_init(&never, 0, 0);
    pthread_create(&blocked, 0, block, 0);
    pthread_create(&waiting, 0, wait_a_while, 0);
    pthread_kill(blocked, SIGUSR1);
    pthread_join(waiting, 0);
    sem_post(&never);
    pthread_join(blocked, 0);
    sem_destroy(&posted);
    sem_destroy(&never);
    return 0;
}
