// A counter that nobody reads makes a program endless; left out of states it does not. A local variable cannot be left
// out. (Without optimization what a thread read of the counter lies on its stack.)
//@ revisions: matched unmatched local
//@ opt: O2
//@ args: --states --max-states=3000
//@[matched] expect: incomplete
//@[matched] reason: max-states: 3000
//@[unmatched] cflags: -DLEAVE=&rounds
//@[unmatched] expect: verified
//@[local] cflags: -DLEAVE=&own
//@[local] expect: unsupported
//@[local] reason: dpor_unmatched of a local variable
#include "dpor.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint rounds;
static atomic_int bit;

static void *work(void *unused) {
    for (;;) {
        atomic_fetch_add(&rounds, 1);
        atomic_fetch_xor(&bit, 1);
    }
    return unused;
}

int main(void) {
    unsigned own = 0;
    pthread_t thread;
#ifdef LEAVE
    dpor_unmatched(LEAVE, 4);
#endif
    pthread_create(&thread, 0, work, &own);
    work(0);
    return 0;
}
