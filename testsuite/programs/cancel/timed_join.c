// A join with a time limit, in a thread that may be cancelled. The joined thread ends only if somebody posts,
// which the joining one does after its limit.
//
// Nobody cancels: nothing else can go on, so the limit is reached: 1 execution.
// Main cancels: before the thread looks whether somebody did, or after that, while it waits. In both cases it
// leaves, because the limit is reached only where nothing else can go on: 2 executions.
//@ args: --timeouts=none
//@ opt: O0 O2
//@ expect: verified
//@ executions: 3
//@ outcomes: cancelled=0 limit=1 *1 | cancelled=1 limit=0 *2
#define _GNU_SOURCE
#include <assert.h>
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t go;
static int limit;

static void *wait_for_post(void *unused) {
    sem_wait(&go);
    return unused;
}

static void *join(void *thread) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    int result = pthread_timedjoin_np(*(pthread_t *)thread, 0, &until);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    assert(result == ETIMEDOUT);
    limit = 1;
    sem_post(&go);
    return 0;
}

int main(void) {
    pthread_t joined, joining;
    void *result;
    sem_init(&go, 0, 0);
    pthread_create(&joined, 0, wait_for_post, 0);
    pthread_create(&joining, 0, join, &joined);
    if (dpor_choose(2))
        pthread_cancel(joining);
    pthread_join(joining, &result);
    if (result == PTHREAD_CANCELED)
        sem_post(&go);
    pthread_join(joined, 0);
    sem_destroy(&go);
    dpor_observe("limit", limit);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    return 0;
}
