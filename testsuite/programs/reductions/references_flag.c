// Threads drop references, and compare a flag with 1, of which nobody drops anything: it is no count. Who is the last can
// differ, and nothing else: three executions.
//@ expect: verified
//@ executions: 3
//@ args: --reductions=commute,counters
//@ opt: O2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 1, flag;
static int ended;

static void *hold(void *unused) {
    (void)unused;
    if (atomic_load(&flag) == 1) return 0;
    if (atomic_fetch_sub(&references, 1) == 1) ended++;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        atomic_fetch_add(&references, 1);
        pthread_create(&threads[i], 0, hold, 0);
    }
    if (atomic_fetch_sub(&references, 1) == 1) ended++;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return ended != 1;
}
