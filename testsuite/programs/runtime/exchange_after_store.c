// A plain store changes what a compare-exchange finds, in every way of taking states back: which cells exchanges touch is
// learned by the process of one execution, and the processes of the others have to know it from their beginning.
//
// In each of two rounds main and a thread exchange 0 for 1; one of them succeeds. Two orders in each round, which ends
// with a join: 2 * 2. Before each round main stores 0 without an event.
//@ revisions: store memset
//@ expect: verified
//@ opt: O0 O2
//@ executions: 4
//@[store] cflags: -DRESET=cell[0]=0
//@[memset] cflags: -DRESET=memset(cell,0,sizeof(cell))
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static unsigned long cell[4];

static int exchange(void) {
    unsigned long expected = 0;
    return atomic_compare_exchange_strong((atomic_ulong *)cell, &expected, 1);
}

static void *beside(void *unused) {
    (void)unused;
    return (void *)(intptr_t)exchange();
}

int main(void) {
    for (int round = 0; round < 2; round++) {
        RESET;
        void *other;
        pthread_t thread;
        pthread_create(&thread, 0, beside, 0);
        int own = exchange();
        pthread_join(thread, &other);
        assert(own + (int)(intptr_t)other == 1);
    }
    return 0;
}
