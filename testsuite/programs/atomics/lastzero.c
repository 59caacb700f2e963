// Thread j of 1..N stores a[j-1]+1 into a[j]; thread 0 scans from a[N] down to the first zero.
// Writers: N-1 pairs "write a[j], read a[j] by thread j+1", each in two orders, none excludes
// another: 2^(N-1) without the scan. The scan stops at cell i after reading N-i cells that were
// written and one (i > 0) that was not. A written cell that the scan read fixes nothing else, but
// "a[i] not yet written" while a[i+1] was fixes that thread i+1 read a[i] before its write:
// one pair of the N-1 is decided, for 0 < i < N. So i = 0: 2^(N-1); i = N: 2^(N-1);
// each of the N-1 others: 2^(N-2). Sum 2^(N-2) * (2 + 2 + N-1) = 2^(N-2) * (N+3).
//@ revisions: n5 n10 n15 spilled
//@ expect: verified
//@[n5] executions: 64
//@[n10] executions: 3,328
//@[n15] executions: 147,456
//@[spilled] executions: 3,328
//@[n5] cflags: -DN=5
//@[n10] cflags: -DN=10
//@[n15] cflags: -DN=15
//@[spilled] cflags: -DN=10
//@[spilled] args: --tree-memory 4096 // most plans go to disk
//@[n10] checkpoint: both
//@[n15] checkpoint: snapshot // in fresh processes it would take minutes
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int a[N + 1];

static void *scan(void *unused) {
    for (int i = N; atomic_load(&a[i]) != 0; i--) {
    }
    return unused;
}

static void *raise_cell(void *number) {
    intptr_t j = (intptr_t)number;
    atomic_store(&a[j], atomic_load(&a[j - 1]) + 1);
    return 0;
}

int main(void) {
    pthread_t threads[N + 1];
    pthread_create(&threads[0], 0, scan, 0);
    for (intptr_t j = 1; j <= N; j++) pthread_create(&threads[j], 0, raise_cell, (void *)j);
    for (int j = 0; j <= N; j++) pthread_join(threads[j], 0);
    return 0;
}
