// A loop waits at what two threads write plainly. The writes race with each other and with its looks, and what it finds
// depends on their order, which only --plain=explore explores. Otherwise the check finds the races, and says why it goes
// no further: all that changed memory is instrumented, so it is not said to have changed without being seen.
// The loop has no end where sign is 2 when it looks first: nobody writes sign any more.
//@ revisions: one_order explored
//@ opt: O0 O1 O2
//@ expect: bug
//@ kind: data-race livelock
//@[one_order] args: -k --reductions=none
//@[one_order] reason: races: the outcome of atomic-load
//@[explored] args: -k --plain=explore
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int place, sign, other;

static void *waits(void *unused) {
    atomic_store_explicit(&sign, 1, memory_order_relaxed);
    while (!(atomic_load(&place) != 1 && atomic_load(&sign) != 2)) {
    }
    *(int *)&sign = 0;
    return unused;
}

static void *writes(void *unused) {
    atomic_store(&other, 1);
    *(int *)&place = 1;
    return unused;
}

static void *signs(void *unused) {
    atomic_store(&other, 1);
    atomic_store(&sign, 2);
    *(int *)&place = 2;
    return unused;
}

int main(void) {
    pthread_t threads[3];
    void *(*const all[])(void *) = {signs, writes, waits};
    for (int k = 0; k < 3; k++) {
        pthread_create(&threads[k], NULL, all[k], NULL);
    }
    for (int k = 0; k < 3; k++) {
        pthread_join(threads[k], NULL);
    }
}
