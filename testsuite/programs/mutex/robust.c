// A thread ends while it holds a robust mutex. Main locks before it (then the thread gets the mutex
// later, and main is told at its second lock), or after it: then it is told at the first. Who is told
// makes it right, or, with LOSE, unlocks it as it is: then nobody can lock it any more.
// The sections of main, two in order, and the one of the thread, which never ends by itself: the
// thread before, between or after them: 3.
//@ revisions: repair lose
//@ expect: verified
//@ executions: 3
//@[repair] outcomes: first=0 second=0 *1 | first=0 second=130 *1 | first=130 second=0 *1
//@[lose] cflags: -DLOSE
//@[lose] outcomes: first=0 second=0 *1 | first=0 second=130 *1 | first=130 second=131 *1
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex;

static void *end_with_it(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

static int use(void) {
    int result = pthread_mutex_lock(&mutex);
    if (result == ENOTRECOVERABLE) return result;
    if (result == 0 && pthread_mutex_consistent(&mutex) != EINVAL) abort();
#ifndef LOSE
    if (result == EOWNERDEAD && pthread_mutex_consistent(&mutex) != 0) abort();
#endif
    pthread_mutex_unlock(&mutex);
    return result;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, NULL, end_with_it, NULL);
    int first = use(), second = use();
    pthread_join(thread, NULL);
    dpor_observe("first", first);
    dpor_observe("second", second);
    pthread_mutex_destroy(&mutex);
    return 0;
}
