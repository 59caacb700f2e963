// A test-and-set lock that serves threads for ever: they lock, work and unlock, and never end. That is no livelock where
// the program says that it makes progress; what is left of two threads that go round is said in a note.
// [silent] says nothing: as far as can be told, the threads come nowhere.
// [progress] dpor_progress() in each turn. [section] what the lock protects is a named section.
// [elsewhere] only a thread that is not in the loop marks progress: no turn of the loop does.
// [starves] one thread serves itself, the other wants in once: it may look each time when the lock is taken.
// The number of executions is not given: cycles are cut when they have come twice.
//@ revisions: silent progress section elsewhere starves
//@ opt: O0 O1 O2
//@[silent] expect: bug
//@[silent] kind: livelock
//@[elsewhere] expect: bug
//@[elsewhere] kind: livelock
//@[elsewhere] cflags: -DELSEWHERE
//@[progress] expect: verified
//@[progress] note: runs for ever: thread 0 waits for the end of thread 1; thread 1 goes round
//@[progress] cflags: -DPROGRESS
//@[section] expect: verified
//@[section] note: with progress
//@[section] cflags: -DSECTION
//@[starves] expect: verified
//@[starves] note: thread 2 may starve
//@[starves] cflags: -DPROGRESS -DONCE
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int taken;

static void lock(void) {
    while (atomic_exchange(&taken, 1)) {
    }
}

static void unlock(void) { atomic_store(&taken, 0); }

static void *serve(void *unused) {
    for (;;) {
        lock();
#ifdef SECTION
        dpor_section("served") {
            atomic_signal_fence(memory_order_seq_cst);
        }
#endif
        unlock();
#ifdef PROGRESS
        dpor_progress();
#endif
    }
    return unused;
}

static void *once(void *unused) {
    lock();
    unlock();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    (void)once;
    pthread_create(&threads[0], NULL, serve, NULL);
#ifdef ONCE
    pthread_create(&threads[1], NULL, once, NULL);
#else
    pthread_create(&threads[1], NULL, serve, NULL);
#endif
#ifdef ELSEWHERE
    dpor_progress();
#endif
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}
