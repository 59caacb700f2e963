// G(wants -> <> inside): Peterson's lock keeps it under weak fairness, a lock that is only tested and set does not, and
// without fairness neither does. Nobody starves at Peterson's.
//@ revisions: peterson unfair try starves turns
//@ opt: O0 O2
//@[peterson] args: --ltl=G(wants-><>inside)
//@[peterson] expect: verified
//@[unfair] args: --ltl=G(wants-><>inside) --fair=none
//@[unfair] expect: bug
//@[unfair] kind: ltl
//@[try] args: --ltl=G(wants-><>inside)
//@[try] cflags: -DTRY
//@[try] expect: bug
//@[try] kind: ltl
//@[try] message: for ever
//@[starves] args: --no-starvation
//@[starves] cflags: -DTRY
//@[starves] expect: bug
//@[starves] kind: starvation
//@[turns] args: --no-starvation
//@[turns] expect: verified
#include "dpor.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wanted[2], turn, in[2], lock;

DPOR_PROPOSITION(wants, in[0] == 0 && wanted[0])
DPOR_PROPOSITION(inside, in[0])
DPOR_INVARIANT(one_inside, in[0] + in[1] <= 1)

static void enter(int me) {
    atomic_store(&wanted[me], 1);
#ifdef TRY
    while (atomic_exchange(&lock, 1)) {
    }
#else
    atomic_store(&turn, 1 - me);
    while (atomic_load(&wanted[1 - me]) && atomic_load(&turn) == 1 - me) {
    }
#endif
}

static void leave(int me) {
    atomic_store(&wanted[me], 0);
#ifdef TRY
    atomic_store(&lock, 0);
#endif
}

static void *work(void *number) {
    int me = (int)(long)number;
    for (;;) {
        enter(me);
        atomic_store(&in[me], 1);
        atomic_store(&in[me], 0);
        leave(me);
    }
    return 0;
}

int main(void) {
    (void)turn, (void)lock;
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)1L);
    work(0);
    return 0;
}
