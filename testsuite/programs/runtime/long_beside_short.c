// Some executions are longer than any may be; the bug is in the others. One that is too long is cut and counted, and the
// search goes on, whichever is first: *sees* is long if the thread sees the flag, *misses* if it does not.
// The loop counts, so that no bound of loops helps. *counted*: one execution is long; in the others the thread looks before
// the flag is set, and at nothing, at the first store alone, or at both: 3.
//@ revisions: sees misses counted
//@ expect: bug
//@ opt: O0
//@ checkpoint: snapshot
//@ parts: no
//@[sees] kind: assertion
//@[misses] kind: assertion
//@[misses] cflags: -DLONG=0
//@[counted] args: -k
//@[counted] cflags: -DHOLDS
//@[counted] expect: incomplete
//@[counted] executions: 3
//@[counted] bound-exceeded: 1
//@[counted] reason: executions cut after 1000000 events, at
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef LONG
#define LONG 1
#endif

atomic_int flag, steps, first, second;

static void *works(void *unused) {
#ifdef HOLDS
    int expected = 0;
#else
    int expected = 1;
#endif
    if (atomic_load(&flag) == LONG) {
        for (int n = 0; n < 1000001; n++) atomic_fetch_add(&steps, 1);
    } else if (atomic_load(&first) == 1) {
        assert(atomic_load(&second) >= expected);
    }
    return unused;
}

static void *raises(void *unused) {
    atomic_store(&flag, 1);
    return unused;
}

static void *counts(void *unused) {
    atomic_store(&first, 1);
    atomic_store(&second, 1);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, raises, NULL);
    pthread_create(&threads[1], NULL, works, NULL);
    pthread_create(&threads[2], NULL, counts, NULL);
    for (int n = 0; n < 3; n++) pthread_join(threads[n], NULL);
}
