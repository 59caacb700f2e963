// Five threads drop one of five counts each: 5 executions, of 5! = 120. `--c == 0` is the same question.
//@ expect: verified
//@ executions: 5
//@ args: --reductions=counters
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>

static atomic_long references = 5;
static int last;

static void *drop(void *unused) {
    (void)unused;
    if (--references == 0) last++;
    return 0;
}

int main(void) {
    pthread_t threads[5];
    for (int i = 0; i < 5; i++) pthread_create(&threads[i], 0, drop, 0);
    for (int i = 0; i < 5; i++) pthread_join(threads[i], 0);
    return last != 1;
}
