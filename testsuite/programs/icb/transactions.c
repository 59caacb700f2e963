// A table of transactions in flight, with a lock for each of its buckets: one thread creates and commits transactions, a
// timer removes those that took too long. Each transaction must end once: committed or timed out.
// Source: Musuvathi and Qadeer, PLDI 2007, describe such a program with three bugs (2, 2 and 3 preemptions) and do not
// say which; written anew, with three bugs of our own.
//
// Preemptions. `main` only creates and joins.
// - looks: a commit finds the transaction under the lock, gives the lock back, and ends the transaction under it again
//   without another look. It has to be left between (1) for the timer to go by.
// - collects: the timer collects what is late under the lock, and ends it later without another look. What it collects
//   has to be there: the client is left after it has created it (1); the timer is left before it ends it (2).
// - skips: the timer looks at the state without the lock, and then ends what it saw under it. The client is left while it
//   holds the lock (1); the timer looks and is blocked by the lock; the client ends.
//@ revisions: correct looks looks_below collects collects_below skips skips_below skips_icb
//@[correct] expect: verified
//@[correct] args: --iterative --bound=3
//@[looks] expect: bug
//@[looks] kind: assertion
//@[looks] preemptions: 1
//@[looks] cflags: -DLOOKS
//@[looks] args: --iterative
//@[looks_below] expect: verified
//@[looks_below] cflags: -DLOOKS
//@[looks_below] args: --iterative --bound=0
//@[collects] expect: bug
//@[collects] kind: assertion
//@[collects] preemptions: 2
//@[collects] cflags: -DCOLLECTS
//@[collects] args: --iterative
//@[collects_below] expect: verified
//@[collects_below] cflags: -DCOLLECTS
//@[collects_below] args: --iterative --bound=1
//@[skips] expect: bug
//@[skips] kind: assertion
//@[skips] preemptions: 1
//@[skips] cflags: -DSKIPS
//@[skips] args: --iterative
//@[skips_below] expect: verified
//@[skips_below] cflags: -DSKIPS
//@[skips_below] args: --iterative --bound=0
//@[skips_icb] expect: bug
//@[skips_icb] kind: assertion
//@[skips_icb] preemptions: 1
//@[skips_icb] cflags: -DSKIPS
//@[skips_icb] args: --search=icb
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { BUCKETS = 2, TRANSACTIONS = 2 };
enum { NONE, ACTIVE, ENDED };

static pthread_mutex_t locks[BUCKETS];
static atomic_int states[TRANSACTIONS];

static pthread_mutex_t *lock_of(int transaction) {
    return &locks[transaction % BUCKETS];
}

// With the lock of the bucket.
static void end(int transaction) {
    assert(atomic_load(&states[transaction]) == ACTIVE);
    atomic_store(&states[transaction], ENDED);
}

static void commit(int transaction) {
    pthread_mutex_lock(lock_of(transaction));
    int is_active = atomic_load(&states[transaction]) == ACTIVE;
#ifdef LOOKS
    pthread_mutex_unlock(lock_of(transaction));
    pthread_mutex_lock(lock_of(transaction));
#endif
    if (is_active) {
        end(transaction);
    }
    pthread_mutex_unlock(lock_of(transaction));
}

static void *use(void *unused) {
    for (int i = 0; i < TRANSACTIONS; i++) {
        pthread_mutex_lock(lock_of(i));
        atomic_store(&states[i], ACTIVE);
        pthread_mutex_unlock(lock_of(i));
        commit(i);
    }
    return unused;
}

static void *flush(void *unused) {
    for (int i = 0; i < TRANSACTIONS; i++) {
#ifdef SKIPS
        int is_late = atomic_load(&states[i]) == ACTIVE;
        pthread_mutex_lock(lock_of(i));
#else
        pthread_mutex_lock(lock_of(i));
        int is_late = atomic_load(&states[i]) == ACTIVE;
#endif
#ifdef COLLECTS
        pthread_mutex_unlock(lock_of(i));
        pthread_mutex_lock(lock_of(i));
#endif
        if (is_late) {
            end(i);
        }
        pthread_mutex_unlock(lock_of(i));
    }
    return unused;
}

int main(void) {
    pthread_t client, timer;
    pthread_create(&client, 0, use, 0);
    pthread_create(&timer, 0, flush, 0);
    pthread_join(client, 0);
    pthread_join(timer, 0);
    return 0;
}
