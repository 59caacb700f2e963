// Two threads come and go, and who goes last says so. Nobody has a count of the other's: a thread that comes behind the last
// one is the last one again. Both are counted before either goes, and either goes last, or one goes before the other comes,
// either one: 4 executions. Increments and drops are taken to commute until an execution shows that they do not.
//@ expect: verified
//@ executions: 4
//@ args: --reductions=commute,counters
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int present;

static void *visit(void *unused) {
    static _Thread_local volatile int last;
    (void)unused;
    atomic_fetch_add(&present, 1);
    if (atomic_fetch_sub(&present, 1) == 1) last = 1;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, visit, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
