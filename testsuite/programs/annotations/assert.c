// What the reader saw is asserted after both have ended: one of the two orders fails.
//@ revisions: first all
//@ expect: bug
//@ kind: assertion
//@[all] args: -k
//@[all] executions: 1
//@[all] failed: 1
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int seen;

static void *writer(void *unused) {
    atomic_store(&x, 1);
    return unused;
}

static void *reader(void *unused) {
    seen = atomic_load(&x);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_assert(seen == 1); //~ assertion
    return 0;
}
