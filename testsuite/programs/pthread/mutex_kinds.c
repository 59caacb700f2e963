// What the kinds of mutexes return to a second lock and to an unlock too many, in both threads.
// Each thread has mutexes of its own: one trace.
//@ expect: verified
//@ executions: 1
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t make(int kind) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return mutex;
}

static pthread_mutex_t recursive[2], checked[2];

static void *work(void *number) {
    pthread_mutex_t *r = &recursive[(long)number], *e = &checked[(long)number];
    dpor_assert(pthread_mutex_lock(r) == 0);
    dpor_assert(pthread_mutex_lock(r) == 0);
    dpor_assert(pthread_mutex_trylock(r) == 0);
    dpor_assert(pthread_mutex_unlock(r) == 0);
    dpor_assert(pthread_mutex_unlock(r) == 0);
    dpor_assert(pthread_mutex_unlock(r) == 0);
    dpor_assert(pthread_mutex_lock(e) == 0);
    dpor_assert(pthread_mutex_lock(e) == EDEADLK);
    dpor_assert(pthread_mutex_trylock(e) == EBUSY);
    dpor_assert(pthread_mutex_unlock(e) == 0);
    dpor_assert(pthread_mutex_unlock(e) == EPERM);
    return 0;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 2; i++) {
        recursive[i] = make(PTHREAD_MUTEX_RECURSIVE);
        checked[i] = make(PTHREAD_MUTEX_ERRORCHECK);
    }
    pthread_create(&a, 0, work, (void *)0);
    pthread_create(&b, 0, work, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
