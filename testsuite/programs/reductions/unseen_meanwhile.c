// As unseen_function.c, but a third thread looks while the others write. What it sees cannot be told from
// the order of events, so all orders of the writes are tried, as without the reduction: 3!.
//@ expect: verified
//@ executions: 6
//@ args: --reductions=commute,observers
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int x;
static int seen;

__attribute__((noinline, disable_sanitizer_instrumentation)) static void look(void) {
    seen = *(volatile int *)&x;
}

static void *write_it(void *number) {
    atomic_store(&x, (int)(intptr_t)number);
    return 0;
}

static void *look_at_it(void *number) {
    look();
    return write_it(number);
}

int main(void) {
    pthread_t threads[3];
    for (intptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, write_it, (void *)(i + 1));
    pthread_create(&threads[2], 0, look_at_it, (void *)3);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
