// Two increments as load and store. In atomic sections nothing comes between: the result is
// always 2. A section conflicts with every event of other threads (starts and joins are no events).
// a's section comes before main's create of b, and then before b's section; or after the create, and
// then b's section is before or after it: 1 + 2 = 3 (tests/suite/derivations.rs counts them too).
// Without, an update can be lost: load and store of one cell, each pair of threads
// (L1 S1, L2 S2): S1 before L2, S2 before L1, or both loads first, then 2 orders of stores: 4.
//@ revisions: atomic bare
//@ expect: verified
//@[atomic] cflags: -DATOMIC
//@[atomic] executions: 3
//@[atomic] outcomes: x=2
//@[bare] executions: 4
//@[bare] outcomes: x=1 *2 | x=2 *2
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *increment(void *unused) {
#ifdef ATOMIC
    dpor_atomic_begin();
#endif
    atomic_store(&x, atomic_load(&x) + 1);
#ifdef ATOMIC
    dpor_atomic_end();
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, increment, 0);
    pthread_create(&b, 0, increment, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("x", atomic_load(&x));
    return 0;
}
