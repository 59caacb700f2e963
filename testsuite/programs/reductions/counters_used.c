// The number that was found is used besides: all 3! orders are explored.
//@ expect: verified
//@ executions: 6
//@ args: --reductions=counters
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 3;
static int found[3], last;

static void *drop(void *number) {
    int before = atomic_fetch_sub(&references, 1);
    found[(long)number] = before;
    if (before == 1) last++;
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, drop, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return last != 1 || found[0] + found[1] + found[2] != 6;
}
