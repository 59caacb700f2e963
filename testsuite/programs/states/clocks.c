// Programs that look at a clock. Clocks stand still at first; an error that is found so is dropped, and the search begins
// anew with clocks that advance.
// elapsed: a thread asserts that sleeping takes time: it does.
// wrong: and another that it does not.
// server: waits with a limit that it computes anew each time, for ever: nothing is found, and clocks go on standing still.
// polling: looks at a clock until a second is over, and does nothing else: that it never gets on is so only with a clock that
// stands still, and with one that advances there are states without end.
// between: the time that one thread slept is heard by another through an atomic that only says so: what differs between two
// states may be only who heard of it.
//@ revisions: elapsed wrong server polling between
//@ args: --states --max-states=5000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[elapsed] cflags: -DELAPSED
//@[elapsed] expect: verified
//@[elapsed] note: clocks as they were on the first way
//@[wrong] cflags: -DELAPSED -DWRONG
//@[wrong] expect: bug
//@[wrong] kind: assertion
//@[server] cflags: -DSERVER
//@[server] expect: verified
//@[server] note: clocks stood still
//@[polling] cflags: -DPOLLING
//@[polling] args: --non-progress
//@[polling] expect: incomplete
//@[polling] reason: max-states: 5000
//@[between] cflags: -DBETWEEN
//@[between] expect: bug
//@[between] kind: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static atomic_int went_on;
static volatile int zero;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *work(void *unused) {
    long long began = now();
#ifdef ELAPSED
    sleep(1);
    assert(now() - began >= 1000000000);
#endif
#ifdef WRONG
    assert(now() - began < 1000000000);
#endif
#ifdef SERVER
    for (;;) {
        struct timespec limit;
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec++;
        pthread_mutex_lock(&mutex);
        pthread_cond_timedwait(&told, &mutex, &limit);
        pthread_mutex_unlock(&mutex);
    }
#endif
#ifdef POLLING
    while (now() - began < 1000000000) {
        if (atomic_load(&went_on)) break;
    }
#endif
#ifdef BETWEEN
    // `sleep` is no store: whether it came before or behind the first bit, memory is the same.
    atomic_fetch_or(&went_on, 1);
    sleep(3);
    atomic_fetch_or(&went_on, 1);
#endif
    (void)began;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    long long began = now();
#ifdef SERVER
    for (;;) pthread_cond_signal(&told);
#endif
#ifdef POLLING
    atomic_store(&went_on, zero);
#endif
#ifdef BETWEEN
    sleep(1);
    assert(now() - began >= 1000000000); // Only with clocks that advance.
    began = now();
    if (atomic_load(&went_on) == 1) assert(now() - began < 1000000000);
#endif
    (void)began;
    pthread_join(thread, 0);
    return 0;
}
