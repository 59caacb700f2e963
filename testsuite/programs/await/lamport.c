// Lamport's fast mutex: each of its loops that wait looks at one place. Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ executions: 16
//@ opt: O0 O1 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int b[N], x, y;
int shared;

static void lock(int me) {
    for (;;) {
        atomic_store(&b[me], 1);
        atomic_store(&x, me + 1);
        if (atomic_load(&y) != 0) {
            atomic_store(&b[me], 0);
            while (atomic_load(&y) != 0) {
            }
            continue;
        }
        atomic_store(&y, me + 1);
        if (atomic_load(&x) == me + 1) {
            return;
        }
        atomic_store(&b[me], 0);
        for (int j = 0; j < N; j++) {
            while (atomic_load(&b[j])) {
            }
        }
        if (atomic_load(&y) == me + 1) {
            return;
        }
        while (atomic_load(&y) != 0) {
        }
    }
}

static void unlock(int me) {
    atomic_store(&y, 0);
    atomic_store(&b[me], 0);
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    lock(me);
    shared++;
    unlock(me);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
    }
    return shared == N ? 0 : 1;
}
