// Two threads wait for what never comes, and then one stores x and the other loads it. Main joins both, so that
// one gives up where nothing else can go on. The other, which waits already, may give up early after that.
// Whether each gives up early are events S (of the thread that stores) and L; 1 is early and a write of the count,
// 0 a read.
// Default, at most 1. S1: L is 0, before S or after it; L gives up when x is stored: r=1, 2 executions. L1: the same with r=0, 2.
// Both 0: one gives up first, where nothing else can go on, and the other decides again. The storing thread first: the
// loading one stays, and gives up when x is stored, r=1; or gives up early, and loads before the store or after it,
// r=0 and r=1. The loading thread first: the same with r=0, and r=0 and r=1. 6 executions.
// In all 10, r=0 in 2 + 1 + 2 and r=1 in 2 + 2 + 1.
// none: who gives up first is all there is, 2.
// 2: S1 and L1, in both orders, each with both orders of store and load: 4 more, 14.
// In all the objects nothing else happens meanwhile, so that it does not matter which object it is.
//@ revisions: sem lock read write writer condition c11 futex join none two
//@ expect: verified
//@ dfs: same-outcomes
//@ executions: 10
//@ outcomes: r=0 *5 | r=1 *5
//@[sem] opt: O0 O2
//@[sem] cflags: -DCALL=sem_timedwait(&never[k],&until)
//@[lock] cflags: -DCALL=pthread_mutex_timedlock(&held[k],&until)
//@[read] cflags: -DCALL=pthread_rwlock_timedrdlock(&written[k],&until)
//@[write] cflags: -DCALL=pthread_rwlock_timedwrlock(&written[k],&until)
//@[writer] cflags: -DCALL=pthread_rwlock_clockwrlock(&written[k],CLOCK_MONOTONIC,&until) -DPREFERS_WRITERS
//@[condition] cflags: -DCALL=condition(k)
//@[c11] cflags: -DCALL=c11(k)
//@[futex] cflags: -DCALL=futex(k)
//@[join] cflags: -DCALL=pthread_clockjoin_np(stays[k],NULL,CLOCK_MONOTONIC,&until)
//@[none] args: --timeouts=none
//@[none] cflags: -DCALL=sem_timedwait(&never[k],&until)
//@[none] executions: 2
//@[none] outcomes: r=0 *1 | r=1 *1
//@[two] args: --timeouts=2
//@[two] cflags: -DCALL=condition(k)
//@[two] executions: 14
//@[two] outcomes: r=0 *7 | r=1 *7
#define _GNU_SOURCE
#include <dpor.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static sem_t never[2], released[2];
static pthread_mutex_t held[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t signalled[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static mtx_t own_mtx[2];
static cnd_t own_cnd[2];
static pthread_rwlock_t written[2];
static pthread_t stays[2];
static atomic_int words[2], x;
static struct timespec until;

int condition(int k) {
    pthread_mutex_lock(&own[k]);
    int result = pthread_cond_timedwait(&signalled[k], &own[k], &until);
    pthread_mutex_unlock(&own[k]);
    return result;
}

int c11(int k) {
    mtx_lock(&own_mtx[k]);
    int result = cnd_timedwait(&own_cnd[k], &own_mtx[k], &until);
    mtx_unlock(&own_mtx[k]);
    return result != thrd_success;
}

int futex(int k) {
    struct timespec second = {1, 0};
    return syscall(SYS_futex, &words[k], FUTEX_WAIT_PRIVATE, 0, &second) != 0;
}

static void wait_in_vain(int k) {
    dpor_assert((CALL) != 0);
}

static void *store(void *unused) {
    wait_in_vain(0);
    atomic_store(&x, 1);
    return unused;
}

static void *load(void *unused) {
    wait_in_vain(1);
    dpor_observe("r", atomic_load(&x));
    return unused;
}

static void *stay(void *semaphore) {
    sem_wait(semaphore);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_rwlockattr_t preference;
    pthread_rwlockattr_init(&preference);
#ifdef PREFERS_WRITERS
    pthread_rwlockattr_setkind_np(&preference, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    // Far from now on both clocks.
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1000;
    for (int k = 0; k < 2; k++) {
        sem_init(&never[k], 0, 0);
        sem_init(&released[k], 0, 0);
        mtx_init(&own_mtx[k], mtx_timed);
        cnd_init(&own_cnd[k]);
        pthread_mutex_lock(&held[k]);
        pthread_rwlock_init(&written[k], &preference);
        pthread_rwlock_wrlock(&written[k]);
        pthread_create(&stays[k], NULL, stay, &released[k]);
    }
    pthread_create(&threads[0], NULL, store, NULL);
    pthread_create(&threads[1], NULL, load, NULL);
    for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
    for (int k = 0; k < 2; k++) {
        sem_post(&released[k]);
        pthread_join(stays[k], NULL);
        pthread_rwlock_unlock(&written[k]);
        pthread_rwlock_destroy(&written[k]);
        pthread_mutex_unlock(&held[k]);
        cnd_destroy(&own_cnd[k]);
        mtx_destroy(&own_mtx[k]);
        sem_destroy(&never[k]);
        sem_destroy(&released[k]);
    }
    return 0;
}
