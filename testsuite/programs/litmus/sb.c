// Store buffering: each thread writes its cell, then reads the other's.
// Two pairs of conflicting events, (x=1, read x) and (y=1, read y), so 4 ways to order them;
// both reads first would be a cycle through program order. 3 remain: 01, 10, 11.
//@ expect: verified
//@ executions: 3
//@ outcomes: r1=0 r2=1 *1 | r1=1 r2=0 *1 | r1=1 r2=1 *1
//@ dfs: same-outcomes
//@ opt: O0 O1 O2 O3
//@ smoke: yes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
int r1, r2;

static void *left(void *unused) {
    atomic_store(&x, 1);
    r1 = atomic_load(&y);
    return unused;
}

static void *right(void *unused) {
    atomic_store(&y, 1);
    r2 = atomic_load(&x);
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
