// Dijkstra's algorithm of 1965: turns in vain store, but what is there already; a thread goes no further behind one.
// Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ executions: 18
//@ blocked: 14
//@ opt: O0 O1 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int b[N] = {1, 1}, c[N] = {1, 1}, k;
int shared;

static void lock(int me) {
    atomic_store(&b[me], 0);
    for (;;) {
        int kk = atomic_load(&k);
        if (kk != me) {
            atomic_store(&c[me], 1);
            if (atomic_load(&b[kk])) {
                atomic_store(&k, me);
            }
            continue;
        }
        atomic_store(&c[me], 0);
        int alone = 1;
        for (int j = 0; j < N; j++) {
            if (j != me && !atomic_load(&c[j])) {
                alone = 0;
                break;
            }
        }
        if (alone) {
            return;
        }
    }
}

static void unlock(int me) {
    atomic_store(&c[me], 1);
    atomic_store(&b[me], 1);
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
