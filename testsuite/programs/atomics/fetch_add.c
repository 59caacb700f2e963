// N threads add 1 to a cell and use the old value: all pairs conflict, so N! orders.
//@ revisions: n2 n4 n5
//@ expect: verified
//@[n2] executions: 2
//@[n4] executions: 24
//@[n5] executions: 120
//@[n2] cflags: -DN=2
//@[n4] cflags: -DN=4
//@[n5] cflags: -DN=5
//@ outcomes-distinct: 1 // the sum of what they saw is always 0 + 1 + … + (N-1)
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
int seen[N];

static void *add(void *slot) {
    *(int *)slot = atomic_fetch_add(&x, 1);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    int sum = 0;
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, add, &seen[i]);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < N; i++) sum += seen[i];
    dpor_observe("sum", sum);
    return 0;
}
