// Who hears of a thread that slept, or that waited in vain, looks at a clock later than that: whatever it is heard through.
// lock: `sleeper` stores what its clock shows in a critical section. Two sections, two orders: 2.
// atomic: a release store, which is read or is not: 2.
// signal: who is woken by a signal comes later, though a signal orders nothing. The waiter locks first and waits, or comes
// second and does not: 2.
// waits: the first waits in vain for a second, instead of sleeping; it may give up early, so that the other comes behind.
//@ revisions: lock atomic signal waits
//@ expect: verified
//@[lock] cflags: -DLOCK
//@[atomic] cflags: -DATOMIC
//@[signal] cflags: -DSIGNAL
//@[waits] cflags: -DLOCK -DWAITS
//@[lock] executions: 2
//@[atomic] executions: 2
//@[signal] executions: 2
//@[lock] outcomes: heard=0 | heard=1
//@[atomic] outcomes: heard=0 | heard=1
//@[signal] outcomes: heard=1
//@[waits] outcomes: heard=0 | heard=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static long long told;
static atomic_llong published;
static int ready;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *sleeper(void *unused) {
#ifdef WAITS
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&never, &mutex, &until);
    told = now();
    pthread_mutex_unlock(&mutex);
    return unused;
#endif
    sleep(1);
    usleep(1);
#ifdef LOCK
    pthread_mutex_lock(&mutex);
    told = now();
    pthread_mutex_unlock(&mutex);
#endif
#ifdef ATOMIC
    atomic_store_explicit(&published, now(), memory_order_release);
#endif
#ifdef SIGNAL
    pthread_mutex_lock(&mutex);
    told = now();
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    long long heard = 0, began;
    pthread_create(&thread, 0, sleeper, 0);
    began = now();
#ifdef LOCK
    pthread_mutex_lock(&mutex);
    heard = told;
    pthread_mutex_unlock(&mutex);
#endif
#ifdef ATOMIC
    heard = atomic_load_explicit(&published, memory_order_acquire);
#endif
#ifdef SIGNAL
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&condition, &mutex);
    dpor_assert(now() >= told);
    heard = told;
    pthread_mutex_unlock(&mutex);
#endif
    if (heard != 0) {
        dpor_assert(began <= now() && heard <= now());
        sleep(2);
        dpor_assert(now() >= heard + 2000000000LL);
    }
    pthread_join(thread, 0);
    dpor_observe("heard", heard != 0);
    return 0;
}
