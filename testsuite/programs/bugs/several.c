// Three different findings in different executions: with -k all are reported, without it the
// first. The load sees 0, 1 or 2 (three traces of one reader and two stores in one thread).
//@ revisions: first all
//@ expect: bug
//@[first] kind: assertion
//@[all] args: -k
//@[all] kind: assertion abort nonzero-exit
//@[all] executions: 0
//@[all] failed: 3
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int cell;

static void *write_twice(void *unused) {
    atomic_store(&cell, 1);
    atomic_store(&cell, 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, write_twice, 0);
    int seen = atomic_load(&cell);
    pthread_join(thread, 0);
    dpor_assert(seen != 0);
    if (seen == 1) abort();
    return 3;
}
