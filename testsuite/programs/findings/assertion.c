// How a report of this kind looks: an update gets lost between a load and a store.
//@ expect: bug
//@ kind: assertion
//@ golden: yes

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *first(void *unused) {
    int seen = atomic_load(&counter);
    atomic_store(&counter, seen + 1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, first, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(atomic_load(&counter) == 2); //~ assertion
}
