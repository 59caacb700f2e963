// An invariant that follows a pointer: what it points to is watched from the first time on, also in executions in which it
// does not point there yet. `dpor_invariant` begins where it is called.
//@ revisions: file call
//@ opt: O0 O2
//@ expect: bug
//@ kind: invariant
//@[call] cflags: -DCALL
#include "dpor.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int target;
static atomic_int *_Atomic pointer;

static int holds(void) {
    atomic_int *at = pointer;
    return at == 0 || *at == 0;
}

#ifndef CALL
DPOR_INVARIANT(points_to_zero, holds())
#endif

static void *point(void *unused) {
    pointer = &target;
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef CALL
    dpor_invariant(holds);
#endif
    pthread_create(&thread, 0, point, 0);
    target = 1;
    pthread_join(thread, 0);
    return 0;
}
