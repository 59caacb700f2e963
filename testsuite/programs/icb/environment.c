// An environment for asynchronous work: `main` posts items and asks two workers to stop, who take items from a common
// list and count down what is left.
// Source: Musuvathi and Qadeer, PLDI 2007, describe such an environment with four bugs (0, 0, 1 and 2 preemptions) and do
// not say which; written anew, with four bugs of our own.
//
// Preemptions. A worker waits in `available`; `main` posts everything and then joins.
// - leaves: a worker that is told to stop stops although there are items. Without a preemption: main tells them
//   before any worker has begun.
// - misses: a worker waits for a signal without a look at what is there. Without a preemption: main signals, and blocks
//   in the join; then nobody signals.
// - splits: what is left is counted down by a load and a store. A worker is left between the two (1); the other ends.
// - peeks: a worker looks at the last item, gives the lock back, and takes it under the lock without another look. It is
//   left between (1); the other takes it and ends.
//@ revisions: correct leaves misses splits splits_below peeks peeks_below peeks_icb
//@[correct] expect: verified
//@[correct] args: --iterative --bound=2
//@[leaves] expect: bug
//@[leaves] kind: assertion
//@[leaves] preemptions: 0
//@[leaves] cflags: -DLEAVES
//@[leaves] args: --iterative
//@[misses] expect: bug
//@[misses] kind: deadlock lost-wakeup
//@[misses] preemptions: 0
//@[misses] cflags: -DMISSES
//@[misses] args: --iterative
//@[splits] expect: bug
//@[splits] kind: assertion
//@[splits] preemptions: 1
//@[splits] cflags: -DSPLITS
//@[splits] args: --iterative
//@[splits_below] expect: verified
//@[splits_below] cflags: -DSPLITS
//@[splits_below] args: --iterative --bound=0
//@[peeks] expect: bug
//@[peeks] kind: assertion
//@[peeks] preemptions: 1
//@[peeks] cflags: -DPEEKS
//@[peeks] args: --iterative
//@[peeks_below] expect: verified
//@[peeks_below] cflags: -DPEEKS
//@[peeks_below] args: --iterative --bound=0
//@[peeks_icb] expect: bug
//@[peeks_icb] kind: assertion
//@[peeks_icb] preemptions: 1
//@[peeks_icb] cflags: -DPEEKS
//@[peeks_icb] args: --search=icb
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ITEMS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items, stopping;
static atomic_int left = ITEMS;

// True if there is an item, which is the caller's now.
static int take(void) {
    pthread_mutex_lock(&lock);
#ifdef MISSES
    pthread_cond_wait(&changed, &lock);
#endif
    while (items == 0 && !stopping) {
        pthread_cond_wait(&changed, &lock);
    }
#ifdef LEAVES
    int found = items > 0 && !stopping;
#else
    int found = items > 0;
#endif
#ifdef PEEKS
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (found) {
        items--;
        assert(items >= 0);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void *work(void *unused) {
    while (take()) {
#ifdef SPLITS
        int before = atomic_load(&left);
        atomic_store(&left, before - 1);
#else
        atomic_fetch_sub(&left, 1);
#endif
    }
    return unused;
}

int main(void) {
    pthread_t workers[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&workers[i], 0, work, 0);
    }
    pthread_mutex_lock(&lock);
    items = ITEMS;
    stopping = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++) {
        pthread_join(workers[i], 0);
    }
    assert(atomic_load(&left) == 0);
    return 0;
}
