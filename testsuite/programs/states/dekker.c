// Dekker's lock, for ever. [swapped] A thread looks at the other's wish before it has its own.
//@ revisions: right swapped
//@ args: --states
//@ opt: O0 O2
//@[right] expect: verified
//@[swapped] cflags: -DSWAPPED
//@[swapped] expect: bug
//@[swapped] kind: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

static void *work(void *number) {
    int me = (int)(long)number, other = 1 - me;
    for (;;) {
#ifdef SWAPPED
        while (atomic_load(&wants[other])) {
        }
        atomic_store(&wants[me], 1);
#else
        atomic_store(&wants[me], 1);
        while (atomic_load(&wants[other])) {
            if (atomic_load(&turn) != me) {
                atomic_store(&wants[me], 0);
                while (atomic_load(&turn) != me) {
                }
                atomic_store(&wants[me], 1);
            }
        }
#endif
        assert(atomic_fetch_add(&inside, 1) == 0); //~[swapped] assertion
        atomic_fetch_sub(&inside, 1);
        atomic_store(&turn, other);
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
