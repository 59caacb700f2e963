// Dekker's algorithm: in a loop that looks at two places another that looks at one. The optimizer takes the first look
// out of the loop, so that a turn begins elsewhere. Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ revisions: written rotated
//@[written] executions: 11
//@[written] opt: O0
//@[rotated] executions: 20
//@[rotated] opt: O1 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int flag[N], turn;
int shared;

static void lock(int me) {
    int other = 1 - me;
    atomic_store(&flag[me], 1);
    while (atomic_load(&flag[other])) {
        if (atomic_load(&turn) != me) {
            atomic_store(&flag[me], 0);
            while (atomic_load(&turn) != me) {
            }
            atomic_store(&flag[me], 1);
        }
    }
}

static void unlock(int me) {
    atomic_store(&turn, 1 - me);
    atomic_store(&flag[me], 0);
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
