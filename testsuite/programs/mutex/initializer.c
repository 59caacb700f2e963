// What PTHREAD_MUTEX_INITIALIZER leaves is a mutex like any other to libc: locked, found taken, given up
// on after a time, waited with, unlocked and destroyed, with and without a second thread that wants it. Its
// bytes are the same afterwards as before.
// revision native: real threads. revision alone: the program itself. revision checked: the two sections
// of `both` in 2 orders.
//@ revisions: native alone checked
//@[native] mode: off
//@[native] cflags: -DNATIVE
//@[alone] mode: alone
//@[checked] expect: verified
//@[checked] executions: 2
//@ opt: O0 O2
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

#define CHECK(condition)                                                                           \
    if (!(condition))                                                                              \
    abort()

static void *both(void *unused) {
#ifdef NATIVE
    // Enough for the two to meet.
    for (int i = 0; i < 100000; i++)
#endif
    {
        CHECK(pthread_mutex_lock(&mutex) == 0);
        shared++;
        CHECK(pthread_mutex_unlock(&mutex) == 0);
    }
    return unused;
}

#ifdef NATIVE
static void *finds_it_taken(void *unused) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
    CHECK(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT);
    return unused;
}
#endif

static int is_as_before(void) { return memcmp(&mutex, &fresh, sizeof mutex) == 0; }

int main(void) {
    CHECK(is_as_before());
    CHECK(pthread_mutex_trylock(&mutex) == 0);
    CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(is_as_before());
#ifdef NATIVE
    pthread_cond_t condvar = PTHREAD_COND_INITIALIZER;
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    CHECK(pthread_mutex_timedlock(&mutex, &soon) == 0);
    CHECK(pthread_cond_timedwait(&condvar, &mutex, &soon) == ETIMEDOUT);
    pthread_t other;
    CHECK(pthread_create(&other, 0, finds_it_taken, 0) == 0);
    pthread_join(other, 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(is_as_before());
#endif
    pthread_t thread;
    CHECK(pthread_create(&thread, 0, both, 0) == 0);
    both(0);
    pthread_join(thread, 0);
    CHECK(is_as_before());
    CHECK(pthread_mutex_destroy(&mutex) == 0);
    return 0;
}
