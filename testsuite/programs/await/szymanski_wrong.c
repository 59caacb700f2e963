// Szymanski's algorithm with an exit section that reads the flag once for each test: between the two it goes from 3 to
// 2, so that a thread leaves while the other still waits for it. A thread goes no further behind a turn in vain. Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: bug
//@ kind: livelock
//@ executions: 42
//@ blocked: 17
//@ deadlocked: 3
//@ args: --keep-going
//@ opt: O0
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
        while (atomic_load(&flag[other]) == 2 || atomic_load(&flag[other]) == 3) {
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
