// Two threads drop one of three counts each, a third one takes one: nobody is the last. The one that takes comes
// before both, between them (either first), or after both: 4 executions, of 3!.
//@ expect: verified
//@ executions: 4
//@ args: --reductions=counters
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 3;
static int last;

static void *drop(void *unused) {
    (void)unused;
    if (atomic_fetch_sub(&references, 1) == 1) last++;
    return 0;
}

static void *take(void *unused) {
    (void)unused;
    atomic_fetch_add(&references, 1);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, i < 2 ? drop : take, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return last != 0;
}
