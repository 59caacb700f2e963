// Who is the last does not learn what the others did: a drop that releases nothing. The race is found whichever thread
// is the last, although the order of the others is not explored.
//@ expect: bug
//@ kind: data-race
//@ args: --reductions=counters
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 3;
static int uses[3];
static int sum;

static void *drop(void *number) {
    uses[(long)number] = 1;
    if (atomic_fetch_sub_explicit(&references, 1, memory_order_relaxed) == 1)
        for (int i = 0; i < 3; i++) sum += uses[i];
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, drop, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return sum != 3;
}
