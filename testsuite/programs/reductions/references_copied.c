// Two threads copy the reference that they have, drop the copies and what they had; the creator drops its own. Copies change
// nothing: three executions, of who is the last.
//@ expect: verified
//@ executions: 3
//@ args: --reductions=commute,counters
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>

static atomic_long references = 1;
static int ended;

static void take(void) { atomic_fetch_add(&references, 1); }

static void drop(void) {
    if (atomic_fetch_sub(&references, 1) == 1) ended++;
}

static void *hold(void *unused) {
    (void)unused;
    take();
    take();
    drop();
    drop();
    drop();
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        take();
        pthread_create(&threads[i], 0, hold, 0);
    }
    drop();
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return ended != 1;
}
