// A ticket lock whose tickets are counted modulo 4, for ever. [one] Modulo 1 every ticket is served.
//@ revisions: right one
//@ args: --states
//@ opt: O0 O2
//@[right] expect: verified
//@[one] cflags: -DMASK=0
//@[one] expect: bug
//@[one] kind: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef MASK
#define MASK 3
#endif

static atomic_uint next, served;
static atomic_int inside;

static void *work(void *unused) {
    for (;;) {
        unsigned now = atomic_load(&next), mine;
        while (!atomic_compare_exchange_weak(&next, &now, (now + 1) & MASK)) {
        }
        mine = now;
        while (atomic_load(&served) != mine) {
        }
        assert(atomic_fetch_add(&inside, 1) == 0); //~[one] assertion
        atomic_fetch_sub(&inside, 1);
        atomic_store(&served, (mine + 1) & MASK);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    return 0;
}
