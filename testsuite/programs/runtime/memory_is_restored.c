// Everything a program can write is back in the next execution: data, bss, heap, the stacks of
// main and of the threads, thread_locals. 3! orders of three additions; each execution checks that
// it starts from the same state.
//@ expect: verified
//@ executions: 6
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int cell;
int initialized = 5, zero;
static _Thread_local int local = 9;

static void *work(void *block) {
    volatile int on_stack = 3;
    dpor_assert(local == 9);
    local = (int)atomic_fetch_add(&cell, 1);
    on_stack += local;
    *(int *)block += on_stack;
    return 0;
}

int main(void) {
    pthread_t threads[3];
    int *block = calloc(1024, sizeof(int));
    int mine = 1;
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, &block[i * 300]);
    dpor_assert(initialized++ == 5 && zero++ == 0 && mine++ == 1);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    int sum = 0;
    for (int i = 0; i < 1024; i++) sum += block[i];
    dpor_assert(sum == 3 * 3 + 0 + 1 + 2);
    free(block);
    return 0;
}
