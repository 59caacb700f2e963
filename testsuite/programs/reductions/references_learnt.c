// The creator takes a second reference, and learns by that what the thread wrote, if it dropped its own before. It may drop it
// later: then the creator reads what the thread writes at the same time. One order of the two counts is run; it is a race
// in it all the same.
//@ expect: bug
//@ kind: data-race
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 1;
static int value;

static void *hold(void *unused) {
    (void)unused;
    value = 1;
    atomic_fetch_sub_explicit(&references, 1, memory_order_acq_rel) == 1 ? (void)(value = 2) : (void)0;
    return 0;
}

int main(void) {
    pthread_t thread;
    atomic_fetch_add_explicit(&references, 1, memory_order_acq_rel);
    pthread_create(&thread, 0, hold, 0);
    atomic_fetch_add_explicit(&references, 1, memory_order_acq_rel);
    int found = value;
    pthread_join(thread, 0);
    return found > 1;
}
