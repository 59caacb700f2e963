// A function that the pass leaves alone stands for a library without instrumentation: it reads what the
// two threads wrote, after main has joined them. Either may have written last.
//@ expect: verified
//@ executions: 2
//@ args: --reductions=commute,observers
//@ outcomes: last=1 *1 | last=2 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int x;

__attribute__((noinline, disable_sanitizer_instrumentation)) static int look(void) {
    return *(volatile int *)&x;
}

static void *write_it(void *number) {
    atomic_store(&x, (int)(intptr_t)number);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, write_it, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    dpor_observe("last", look());
    return 0;
}
