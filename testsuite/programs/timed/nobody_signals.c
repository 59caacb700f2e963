// Nobody signals: a wait with a limit ends, and the clock shows that it did. Two threads wait, for
// different times; which of them gives up first is a choice: 2, times the 2 orders in which they lock: 4.
// early: when one has given up, the other decides again: it stays, or it gives up early and locks before that one does or
// after it; 3 instead of 1 each, 12. The first to lock may also give up while the other could go on, and lock again
// before the other does or after the other waits: 2 more for each order of the locks, 16. The other has nobody beside it
// then. Where it gives up after 5 seconds and locks before the other does, the other's second has passed when it begins to
// wait, so that it may also give up at once: 17.
//@ revisions: vain early
//@ expect: verified
//@[vain] args: --timeouts=none
//@[vain] executions: 4
//@[early] executions: 17
//@ dfs: same-outcomes
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int seconds[] = {1, 5};

static void *wait_in_vain(void *time) {
    struct timespec until, now;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += *(int *)time;
    pthread_mutex_lock(&mutex);
    if (pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until) != ETIMEDOUT) abort();
    pthread_mutex_unlock(&mutex);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec < until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec))
        abort();
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, wait_in_vain, &seconds[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
