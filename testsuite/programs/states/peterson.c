// Peterson's lock, for ever. [swapped] Each thread gives the turn to itself: both come in.
//@ revisions: right swapped
//@ args: --states
//@ opt: O0 O1 O2 O3
//@[right] expect: verified
//@[swapped] cflags: -DSWAPPED
//@[swapped] expect: bug
//@[swapped] kind: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

#ifdef SWAPPED
#define GIVEN me
#else
#define GIVEN (1 - me)
#endif

static void *work(void *number) {
    int me = (int)(long)number;
    for (;;) {
        atomic_store(&wants[me], 1);
        atomic_store(&turn, GIVEN);
        while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me) {
        }
        assert(atomic_fetch_add(&inside, 1) == 0); //~[swapped] assertion
        atomic_fetch_sub(&inside, 1);
        atomic_store(&wants[me], 0);
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)1L);
    work(0);
    return 0;
}
