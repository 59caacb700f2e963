// A callback from libc may switch: qsort holds no lock. Two elements are compared at least once and
// the comparison adds to a counter; with the other thread's addition in any place among the n
// comparisons there are n + 1 executions. glibc compares two elements exactly once: 2.
//@ expect: verified
//@ executions: 2
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int counter;
static int seen;

static int compare(const void *a, const void *b) {
    seen = atomic_fetch_add(&counter, 1);
    return *(const int *)a - *(const int *)b;
}

static void *sort(void *unused) {
    int pair[2] = {2, 1};
    qsort(pair, 2, sizeof *pair, compare);
    dpor_assert(pair[0] == 1 && pair[1] == 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, sort, 0);
    atomic_fetch_add(&counter, 1);
    pthread_join(thread, 0);
    dpor_observe("seen", seen);
    return 0;
}
