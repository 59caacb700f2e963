// apr's threads make, use and destroy pools below one pool, and count under its mutexes, rwlocks and atomic
// operations; the first thread waits for them with a condition variable.
#include <apr_atomic.h>
#include <apr_pools.h>
#include <apr_strings.h>
#include <apr_thread_cond.h>
#include <apr_thread_proc.h>
#include <apr_thread_rwlock.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2 };

static int rounds;
static apr_pool_t *pool;
static apr_thread_mutex_t *mutex;
static apr_thread_cond_t *done;
static apr_thread_rwlock_t *rwlock;
static apr_thread_once_t *once;
static volatile apr_uint32_t begun;
static int ended, sum, factor;

static void set(void) { factor = 2; }

static void *APR_THREAD_FUNC work(apr_thread_t *thread, void *unused) {
    apr_atomic_inc32(&begun);
    apr_thread_once(once, set);
    for (int round = 1; round <= rounds; round++) {
        apr_pool_t *below;
        if (apr_pool_create(&below, pool)) abort();
        char *text = apr_psprintf(below, "%d", round);
        apr_thread_rwlock_rdlock(rwlock);
        int number = factor * atoi(text);
        apr_thread_rwlock_unlock(rwlock);
        apr_pool_destroy(below);
        apr_thread_mutex_lock(mutex);
        sum += number;
        apr_thread_mutex_unlock(mutex);
    }
    apr_thread_mutex_lock(mutex);
    ended++;
    apr_thread_cond_signal(done);
    apr_thread_mutex_unlock(mutex);
    return NULL;
}

int main(int count, char **arguments) {
    apr_thread_t *threads[THREADS];
    apr_status_t status;
    rounds = atoi(arguments[1]);
    if (apr_initialize() || apr_pool_create(&pool, NULL)) abort();
    apr_thread_mutex_create(&mutex, APR_THREAD_MUTEX_DEFAULT, pool);
    apr_thread_cond_create(&done, pool);
    apr_thread_rwlock_create(&rwlock, pool);
    apr_thread_once_init(&once, pool);
    for (int i = 0; i < THREADS; i++)
        if (apr_thread_create(&threads[i], NULL, work, NULL, pool)) abort();
    apr_thread_mutex_lock(mutex);
    while (ended < THREADS)
        apr_thread_cond_wait(done, mutex);
    apr_thread_mutex_unlock(mutex);
    for (int i = 0; i < THREADS; i++)
        apr_thread_join(&status, threads[i]);
    if (sum != THREADS * rounds * (rounds + 1)) abort();
    if (apr_atomic_read32(&begun) != THREADS) abort();
    apr_terminate();
    return 0;
}
