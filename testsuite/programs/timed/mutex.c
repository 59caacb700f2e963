// A thread holds a mutex for ever; main tries to lock it for a second. It gives up where nothing else can
// go on: only if the thread came first. Main first: it locks in time, and the thread locks after it. 2.
// With --timeouts an attempt that finds the mutex held fails at once; held or free, the same 2. By default, too: where
// nobody else can go on and all is known that others did, giving up is not early.
//@ revisions: quiet any early
//@ expect: verified
//@ kind: thread-misuse // The thread ends with it.
//@ executions: 2
//@ outcomes: result=0 *1 | result=110 *1
//@ dfs: same-outcomes
//@[any] args: --timeouts
//@[quiet] args: --timeouts=none
#include <dpor.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *keep(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_create(&thread, NULL, keep, NULL);
    int result = pthread_mutex_timedlock(&mutex, &until);
    dpor_observe("result", result);
    if (result == 0) pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
