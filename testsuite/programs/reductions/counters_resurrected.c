// Two threads drop their counts; a third one takes a count without having one, and uses what it got. Where it comes
// behind the last drop, it uses what is freed: nothing orders the two.
//@ expect: bug
//@ kind: data-race
//@ args: --reductions=counters
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int references = 2;
static int *value;

static void *drop(void *unused) {
    (void)unused;
    if (atomic_fetch_sub(&references, 1) == 1) free(value);
    return 0;
}

static void *take(void *unused) {
    (void)unused;
    atomic_fetch_add(&references, 1);
    int got = *value;
    if (atomic_fetch_sub(&references, 1) == 1) free(value);
    return (void *)(long)got;
}

int main(void) {
    value = calloc(1, sizeof *value);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, i < 2 ? drop : take, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
