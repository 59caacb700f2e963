// A loop whose two looks find 0 for ever: nobody stores anything else there. The thread goes no further after
// its first turn, and would find the same in each later one: a livelock, as with every turn.
//@ expect: bug
//@ kind: livelock
//@ args: --reductions=commute,observers
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int a, b, other;

static void *store(void *unused) {
    atomic_store(&other, 1);
    atomic_store(&a, 1);
    atomic_store(&a, 0);
    return unused;
}

static void *wait(void *unused) {
    while (atomic_load(&a) == 0 && atomic_load(&b) == 0) {
    }
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, store, NULL);
    pthread_create(&two, NULL, wait, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
