// Load buffering: each thread reads the other's cell, then writes its own.
// Two conflicting pairs, 4 orders; both reads seeing 1 is a cycle. 3 remain.
//@ expect: verified
//@ executions: 3
//@ outcomes: r1=0 r2=0 *1 | r1=0 r2=1 *1 | r1=1 r2=0 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
int r1, r2;

static void *left(void *unused) {
    r1 = atomic_load(&x);
    atomic_store(&y, 1);
    return unused;
}

static void *right(void *unused) {
    r2 = atomic_load(&y);
    atomic_store(&x, 1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("r1", r1);
    dpor_observe("r2", r2);
    return 0;
}
