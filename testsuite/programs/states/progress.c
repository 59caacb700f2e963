// One thread marks that it gets on, the other goes round without: under weak fairness both move, so nobody can go on for
// ever without a mark. [none] Nobody marks anything.
//@ revisions: one none
//@ args: --non-progress
//@ opt: O2
//@[one] expect: verified
//@[none] cflags: -DNONE
//@[none] expect: bug
//@[none] kind: non-progress
#include "dpor.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int bit;

static void *work(void *unused) {
    for (;;) atomic_fetch_xor(&bit, 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    for (;;) {
        atomic_fetch_xor(&bit, 1);
#ifndef NONE
        dpor_progress();
#endif
    }
}
