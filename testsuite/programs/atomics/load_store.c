// 3 threads, each R times: load, store of the loaded value + 1. Only loads commute.
// So a trace is a word over L1 S1 … with each thread's L S L S … in order, loads next to each other
// in any order. Counted by the brute-force enumerator (R = 2) and as lexicographic normal forms
// (R = 2, 3) in tests/suite/derivations.rs.
//@ revisions: r2 r3
//@ expect: verified
//@[r2] executions: 7,134
//@[r3] executions: 1,824,912
//@[r2] cflags: -DR=2
//@[r3] cflags: -DR=3
//@[r3] checkpoint: snapshot // in fresh processes it would take an hour
//@[r3] seconds: 300
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *unused) {
    for (int i = 0; i < R; i++) {
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
