// Main waits for a flag with a time limit, the other thread sets it and signals, under the mutex. The
// other first: main does not wait. Main first: it is woken; it never gives up, since the other can go
// on. 2. With --timeouts main, if it comes first, may also give up: before the other's section or after
// it; then it looks at the flag again, and it waits once at most: woken, or late before, or late
// after the other: 3, and with the other first 4. By default the same: one early time-out is enough.
//@ revisions: quiet any early
//@ expect: verified
//@[quiet] args: --timeouts=none
//@[quiet] executions: 2
//@[quiet] outcomes: late=0 flag=1 *2
//@[any] args: --timeouts
//@[any] executions: 4
//@[any] outcomes: late=0 flag=1 *2 | late=110 flag=0 *1 | late=110 flag=1 *1
//@[any] dfs: same-outcomes
//@[early] executions: 4
//@[early] outcomes: late=0 flag=1 *2 | late=110 flag=0 *1 | late=110 flag=1 *1
//@[early] dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int flag;

static void *set(void *unused) {
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec until;
    int late = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_create(&thread, NULL, set, NULL);
    pthread_mutex_lock(&mutex);
    while (!flag && late == 0) late = pthread_cond_timedwait(&condition, &mutex, &until);
    dpor_observe("late", late);
    dpor_observe("flag", flag);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
