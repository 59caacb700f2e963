// Three threads drop one of three counts each, at every level of optimization: who is the last is all that differs, of
// 3! orders. Who frees comes behind the others, so that nothing races.
//@ expect: verified
//@ executions: 3
//@ args: --reductions=counters
//@ opt: O0 O1 O2
//@ outcomes: last=0 *1 | last=1 *1 | last=2 *1
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct shared {
    atomic_int references;
    int uses[3];
};

static struct shared *shared;
static int last;

static void *drop(void *number) {
    int n = (int)(intptr_t)number;
    shared->uses[n] = 1;
    if (atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) == 1) {
        for (int i = 0; i < 3; i++) dpor_assert(shared->uses[i]);
        free(shared);
        last = n;
    }
    return 0;
}

int main(void) {
    shared = calloc(1, sizeof *shared);
    shared->references = 3;
    pthread_t threads[3];
    for (intptr_t i = 0; i < 3; i++) pthread_create(&threads[i], 0, drop, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    dpor_observe("last", last);
    return 0;
}
