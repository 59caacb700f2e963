// An atomic write and a plain read of the same cell race; two atomic accesses do not (2 traces).
//@ revisions: mixed atomic
//@[mixed] cflags: -DREAD=*(int*)&cell
//@[mixed] expect: bug
//@[mixed] kind: data-race
//@[atomic] cflags: -DREAD=atomic_load_explicit(&cell,memory_order_relaxed)
//@[atomic] expect: verified
//@[atomic] executions: 2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int cell;
int seen;

static void *writer(void *unused) {
    atomic_store_explicit(&cell, 1, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    seen = READ;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
