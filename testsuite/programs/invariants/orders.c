// Two stores that no thread can tell apart, and an invariant that can: both orders come. [holds] 2 executions instead of
// 1. [fails] `y` is not there yet in one of them.
//@ revisions: holds fails states
//@ opt: O0 O2
//@[holds] expect: verified
//@[holds] executions: 2
//@[fails] cflags: -DFAILS
//@[fails] expect: bug
//@[fails] kind: invariant
//@[fails] message: invariant y_first does not hold
//@[states] args: --states
//@[states] cflags: -DFAILS
//@[states] expect: bug
//@[states] kind: invariant
#include "dpor.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

#ifdef FAILS
DPOR_INVARIANT(y_first, !(x == 1 && y == 0))
#else
DPOR_INVARIANT(bits, x <= 1 && y <= 1)
#endif

static void *set(void *unused) {
    x = 1; //~[fails,states] invariant
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    y = 1;
    pthread_join(thread, 0);
    return 0;
}
