// The queue of a work-stealing scheduler, by the protocol THE of Cilk: its owner pushes and pops at the tail without a
// lock as long as there is more than one item, a thief takes from the head with a lock. Every item must be taken at most
// once.
// Source: Frigo, Leiserson, Randall, PLDI 1998, give the protocol; Musuvathi and Qadeer, PLDI 2007, checked an
// implementation with three bugs that they do not describe (found with 1, 2 and 2 preemptions). Written anew, with three
// bugs of our own.
//
// Preemptions. `main` only creates and joins.
// - checks: the thief compares before it moves the head. The owner has to be left when it has pushed an item (1),
//   and the thief between the two (2); then the owner pops all items.
// - trusts: the owner, who finds that the head has gone beyond the tail by one, takes the item without a look under the
//   lock. It has to be left when it has pushed (1), the thief takes the first item and ends, and the owner takes it again.
//   With none the thief comes first or last, and finds nothing.
// - forgets: the thief, who comes too late, does not move the head back. That alone loses items: found by the count at
//   the end, and without a preemption: the thief is there first.
//@ revisions: correct checks trusts forgets checks_below trusts_below checks_icb
//@[correct] expect: verified
//@[correct] args: --iterative --bound=2
//@[checks] expect: bug
//@[checks] kind: assertion
//@[checks] preemptions: 2
//@[checks] cflags: -DCHECKS
//@[checks] args: --iterative
//@[checks_below] expect: verified
//@[checks_below] cflags: -DCHECKS
//@[checks_below] args: --iterative --bound=1
//@[checks_icb] expect: bug
//@[checks_icb] kind: assertion
//@[checks_icb] preemptions: 2
//@[checks_icb] cflags: -DCHECKS
//@[checks_icb] args: --search=icb
//@[trusts] expect: bug
//@[trusts] kind: assertion
//@[trusts] preemptions: 1
//@[trusts] cflags: -DTRUSTS
//@[trusts] args: --iterative
//@[trusts_below] expect: verified
//@[trusts_below] cflags: -DTRUSTS
//@[trusts_below] args: --iterative --bound=0
//@[forgets] expect: bug
//@[forgets] kind: assertion
//@[forgets] preemptions: 0
//@[forgets] cflags: -DFORGETS
//@[forgets] args: --iterative
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 4, ITEMS = 2, NONE = -1 };

static atomic_int head, tail, items[SIZE], taken[ITEMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(int item) {
    int t = tail;
    items[t % SIZE] = item;
    tail = t + 1;
}

static int pop(void) {
    int t = tail - 1;
    tail = t;
    if (head > t) {
#ifdef TRUSTS
        if (head > t + 1) {
            tail = t + 1;
            return NONE;
        }
#else
        tail = t + 1;
        pthread_mutex_lock(&lock);
        t = tail - 1;
        tail = t;
        if (head > t) {
            tail = t + 1;
            pthread_mutex_unlock(&lock);
            return NONE;
        }
        pthread_mutex_unlock(&lock);
#endif
    }
    return items[t % SIZE];
}

static int steal(void) {
    int item = NONE;
    pthread_mutex_lock(&lock);
    int h = head;
#ifdef CHECKS
    if (h < tail) {
        head = h + 1;
        item = items[h % SIZE];
    }
#else
    head = h + 1;
    if (h + 1 <= tail) {
        item = items[h % SIZE];
    } else {
#ifndef FORGETS
        head = h;
#endif
    }
#endif
    pthread_mutex_unlock(&lock);
    return item;
}

static void take(int item) {
    if (item != NONE) {
        assert(atomic_exchange(&taken[item], 1) == 0);
    }
}

static void *own(void *unused) {
    for (int item = 0; item < ITEMS; item++) {
        push(item);
    }
    for (int i = 0; i < ITEMS; i++) {
        take(pop());
    }
    return unused;
}

static void *rob(void *unused) {
    take(steal());
    return unused;
}

int main(void) {
    pthread_t owner, thief;
    pthread_create(&owner, 0, own, 0);
    pthread_create(&thief, 0, rob, 0);
    pthread_join(owner, 0);
    pthread_join(thief, 0);
    // Who pops as often as there are items leaves none.
    assert(taken[0] && taken[1]);
    return 0;
}
