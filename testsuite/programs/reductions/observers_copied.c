// As observers_joined.c, but main looks through libc: a copy reads both neighbours, and the one next to
// them, which nobody copies, stays unobserved. Two threads write all three: which write of a is last and
// which of b is last, but each thread writes a before b: 4 combinations, none excluded.
//@ expect: verified
//@ executions: 4
//@ args: --reductions=observers
//@ outcomes: a=1 b=1 *1 | a=1 b=2 *1 | a=2 b=1 *1 | a=2 b=2 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static struct {
    int a, b, c;
} cell;

static void *write_them(void *number) {
    int n = (int)(intptr_t)number;
    __atomic_store_n(&cell.a, n, __ATOMIC_RELAXED);
    __atomic_store_n(&cell.b, n, __ATOMIC_RELAXED);
    __atomic_store_n(&cell.c, n, __ATOMIC_RELAXED);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, write_them, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    volatile int length = 2 * sizeof(int);
    int copy[2];
    memcpy(copy, &cell, length);
    dpor_observe("a", copy[0]);
    dpor_observe("b", copy[1]);
    return 0;
}
