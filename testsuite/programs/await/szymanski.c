// Szymanski's algorithm. The exit section waits for either of two values: two tests, which the optimizer makes one, so
// that the loop waits for one place. As written, a thread goes no further behind a turn in vain of that loop. Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ revisions: written merged
//@[written] executions: 29
//@[written] blocked: 17
//@[written] opt: O0
//@[merged] executions: 29
//@[merged] opt: O1 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int flag[N];
int shared;

static void lock(int me) {
    int other = 1 - me;
    atomic_store(&flag[me], 1);
    while (atomic_load(&flag[other]) >= 3) {
    }
    atomic_store(&flag[me], 3);
    if (atomic_load(&flag[other]) == 1) {
        atomic_store(&flag[me], 2);
        while (atomic_load(&flag[other]) != 4) {
        }
    }
    atomic_store(&flag[me], 4);
    if (other < me) {
        while (atomic_load(&flag[other]) >= 2) {
        }
    }
}

static void unlock(int me) {
    int other = 1 - me;
    if (other > me) {
        for (;;) {
            int seen = atomic_load(&flag[other]);
            if (seen != 2 && seen != 3) break;
        }
    }
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
