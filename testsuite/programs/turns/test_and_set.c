// Test, then test-and-set, by N threads once each; how often each looked tells executions apart. A turn whose exchange was
// in vain is the last of its thread: 36 for N = 3, 576 for N = 4, which GenMC and Nidhugg have, too. Counted by
// brute force, with those that are blocked: testsuite/tests/suite/turns.rs.
//@ expect: verified
//@ opt: O0 O2
//@ executions: 36
//@ blocked: 42
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static atomic_int word;
static int shared;

static void *work(void *unused) {
    do {
        while (atomic_load(&word)) {
        }
    } while (atomic_exchange(&word, 1));
    shared++;
    atomic_store(&word, 0);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    assert(shared == N);
    return 0;
}
