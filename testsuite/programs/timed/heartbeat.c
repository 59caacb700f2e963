// A worker beats whenever a second has passed without the news that it waits for. Its loop ends at any number of early
// time-outs. Main first: it does not wait, 1. Worker first:
// none: it is woken, 1 more.
// one: it is woken; or it beats before main's section and is woken later, or after it and is done: 3 more.
// two: that it beats and then waits in vain once more, before main's section or after it, takes the place of nothing:
// it is woken, beats after, beats before and is woken, beats before and after, beats twice before and is woken: 5 more.
//@ revisions: none one two
//@ opt: O0 O2
//@ expect: verified
//@ dfs: same-outcomes
//@[none] args: --timeouts=none
//@[none] executions: 2
//@[none] outcomes: beats=0 *2
//@[one] executions: 4
//@[one] outcomes: beats=0 *2 | beats=1 *2
//@[two] args: --timeouts 2
//@[two] executions: 6
//@[two] outcomes: beats=0 *2 | beats=1 *2 | beats=2 *2
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_done, beats;

static int wait_a_second(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    return pthread_cond_timedwait(&condition, &mutex, &until);
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!is_done)
        if (wait_a_second() == ETIMEDOUT) beats++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    is_done = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(worker, NULL);
    dpor_observe("beats", beats);
    return 0;
}
