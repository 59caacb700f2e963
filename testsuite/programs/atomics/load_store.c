// 3 threads, each twice: load, store of the loaded value + 1. Only loads commute.
// So a trace is a word over L1 S1 … with each thread's LSLS in order, loads next to each other in
// any order. 7,134 by the brute-force enumerator (tests/derivations.rs).
//@ expect: verified
//@ executions: 7,134
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *unused) {
    for (int i = 0; i < 2; i++) {
        int seen = atomic_load(&x);
        atomic_store(&x, seen + 1);
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
