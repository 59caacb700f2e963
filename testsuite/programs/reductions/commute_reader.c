// Three additions and a reader: each addition comes before the reader or after it, 2^3 executions
// instead of the 4! orders. The reader sees which came before.
//@ expect: verified
//@ executions: 8
//@ args: --reductions=commute
//@ outcomes: seen=0 *1 | seen=1 *1 | seen=2 *1 | seen=3 *1 | seen=4 *1 | seen=5 *1 | seen=6 *1 | seen=7 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int sum;
static int seen;

static void *add(void *number) {
    atomic_fetch_add(&sum, (int)(intptr_t)number);
    return 0;
}

static void *read_sum(void *unused) {
    seen = sum;
    return unused;
}

int main(void) {
    pthread_t threads[4];
    for (intptr_t i = 0; i < 3; i++) pthread_create(&threads[i], 0, add, (void *)((intptr_t)1 << i));
    pthread_create(&threads[3], 0, read_sum, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    dpor_observe("seen", seen);
    return 0;
}
