// As long as the holder can go on, a lock with a time limit waits: with --timeouts=none it never gives up
// here. Two orders of the sections: 2. With --timeouts main may also give up in the midst of the
// other's section: 3. By default it first tries: what it finds held it may also wait for, 4.
//@ revisions: quiet any early
//@ expect: verified
//@[quiet] args: --timeouts=none
//@[quiet] executions: 2
//@[quiet] outcomes: result=0 *2
//@[any] args: --timeouts
//@[any] executions: 3
//@[any] outcomes: result=0 *2 | result=110 *1
//@[early] executions: 4
//@[early] outcomes: result=0 *3 | result=110 *1
#define _GNU_SOURCE
#include <dpor.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    pthread_create(&thread, NULL, use, NULL);
    int result = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until);
    dpor_observe("result", result);
    if (result == 0) pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
