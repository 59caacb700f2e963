// Three threads: two drop their references, the last one frees; the third one takes a reference without having one. Where it
// comes behind the last drop, it uses what is freed. Increments do not commute with drops there.
//@ expect: bug
//@ kind: data-race
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
    int found = *(volatile int *)value;
    if (atomic_fetch_sub(&references, 1) == 1) free(value);
    return (void *)(long)found;
}

int main(void) {
    value = calloc(1, sizeof *value);
    pthread_t threads[3];
    pthread_create(&threads[0], 0, drop, 0);
    pthread_create(&threads[1], 0, drop, 0);
    pthread_create(&threads[2], 0, take, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
