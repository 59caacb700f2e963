// Two writers that write twice, and a reader that reads twice. The first write of a writer is seen only if
// the reader comes between the two writes.
//@ expect: verified
//@ args: --reductions=observers
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int x;

static void *write_twice(void *number) {
    atomic_store(&x, (int)(intptr_t)number);
    atomic_store(&x, (int)(intptr_t)number + 10);
    return 0;
}

static void *read_twice(void *unused) {
    (void)unused;
    dpor_observe("first", atomic_load(&x));
    dpor_observe("second", atomic_load(&x));
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, write_twice, (void *)(i + 1));
    pthread_create(&threads[2], 0, read_twice, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
