// A thread that finds by its look that it is the only owner left writes what others wrote before they dropped theirs. The
// look is relaxed: nothing orders the two. Looks that are told "no" are run in one order with drops; this is not missed.
//@ revisions: relaxed acquire
//@[relaxed] expect: bug
//@[relaxed] kind: data-race
//@[relaxed] cflags: -DORDER=__ATOMIC_RELAXED
//@[acquire] expect: verified
//@[acquire] cflags: -DORDER=__ATOMIC_ACQUIRE
//@ opt: O0 O2
//@ workers: no
#include <pthread.h>

int owners = 2, value;

static void *hold(void *unused) {
    (void)unused;
    if (__atomic_load_n(&owners, ORDER) == 1) {
        value = 2;
        return 0;
    }
    if (__atomic_fetch_sub(&owners, 1, __ATOMIC_ACQ_REL) == 1) value = 3;
    return 0;
}

static void *leave(void *unused) {
    value = 1;
    if (__atomic_fetch_sub(&owners, 1, __ATOMIC_RELEASE) == 1) unused = 0;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, hold, 0);
    pthread_create(&threads[1], 0, leave, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return value > 3;
}
