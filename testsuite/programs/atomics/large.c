// An atomic object of 24 bytes: libatomic takes a lock. A load sees all or nothing of a store, in one
// of 2 orders.
//@ cflags: -latomic -Wno-atomic-alignment
//@ opt: O0 O2
//@ expect: verified
//@ executions: 2
//@ outcomes: first=0 last=0 *1 | first=1 last=3 *1
#include <dpor.h>
#include <pthread.h>

struct three {
    long a, b, c;
};

static struct three cell;

static void *thread(void *unused) {
    struct three new = {1, 2, 3};
    __atomic_store(&cell, &new, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void) {
    pthread_t created;
    struct three seen;
    pthread_create(&created, 0, thread, 0);
    __atomic_load(&cell, &seen, __ATOMIC_SEQ_CST);
    pthread_join(created, 0);
    dpor_observe("first", seen.a);
    dpor_observe("last", seen.c);
    return 0;
}
