// One thread allocates, hands over, the other frees and allocates. The address that the second
// gets must not depend on what the first does at the same time: its block goes to the second's own
// list. The hand-over is an atomic pointer: seen or not, 2 traces.
//@ expect: verified
//@ executions: 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) handed;

static void *giver(void *unused) {
    int *block = malloc(64);
    *block = 42;
    atomic_store(&handed, block);
    free(malloc(64));
    return unused;
}

static void *taker(void *unused) {
    int *block = atomic_load(&handed);
    if (block) free(block);
    int *mine = malloc(64);
    *mine = 1;
    free(mine);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, giver, 0);
    pthread_create(&b, 0, taker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
