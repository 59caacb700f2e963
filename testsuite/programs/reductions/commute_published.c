// The additions commute, but the reader looks whether both were made: what both wrote before is
// published to it. No race, in none of the orders that matter: the reader comes before, between (two
// ways), or after.
//@ expect: verified
//@ executions: 4
//@ args: --reductions=commute
//@ outcomes: sum=0 *3 | sum=3 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int done;
static int data[2];
static int sum;

static void *write_data(void *number) {
    int n = (int)(intptr_t)number;
    data[n] = n + 1;
    atomic_fetch_add(&done, 1);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, write_data, (void *)i);
    if (atomic_load(&done) == 2) sum = data[0] + data[1];
    dpor_observe("sum", sum);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
