// Two threads, one N times i += j and one N times j += i, by loads and stores of atomics; the first
// thread reads both meanwhile. No accesses but loads of one cell commute.
// Counted as lexicographic normal forms in tests/suite/derivations.rs; loading in the other order inside
// an addition gives the same number. N = 5: 218,243.
// Source: fib_bench of SV-COMP, with atomics.
//@ revisions: n1 n2 n5
//@ expect: verified
//@[n1] executions: 11
//@[n2] executions: 140
//@[n5] executions: 218,243
//@[n1] cflags: -DN=1
//@[n2] cflags: -DN=2
//@[n5] cflags: -DN=5
//@[n5] checkpoint: snapshot // in fresh processes it would take minutes
#include <pthread.h>
#include <stdatomic.h>

static atomic_int i = 1, j = 1;

static void *raise_i(void *unused) {
    for (int k = 0; k < N; k++) atomic_store(&i, atomic_load(&i) + atomic_load(&j));
    return unused;
}

static void *raise_j(void *unused) {
    for (int k = 0; k < N; k++) atomic_store(&j, atomic_load(&j) + atomic_load(&i));
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, raise_i, 0);
    pthread_create(&b, 0, raise_j, 0);
    int first = atomic_load(&i), second = atomic_load(&j);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return first < 1 || second < 1;
}
