// Lamport's bakery, which reads the numbers again in each turn, each up to three times. The optimizer takes the first look out
// of the loop. A thread goes no further behind a turn in vain. Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ revisions: written rotated
//@[written] executions: 10
//@[written] blocked: 14
//@[written] opt: O0
//@[rotated] executions: 24
//@[rotated] blocked: 7
//@[rotated] opt: O1 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int choosing[N], number[N];
int shared;

static void lock(int me) {
    atomic_store(&choosing[me], 1);
    int max = 0;
    for (int j = 0; j < N; j++) {
        int n = atomic_load(&number[j]);
        if (n > max) max = n;
    }
    atomic_store(&number[me], max + 1);
    atomic_store(&choosing[me], 0);
    for (int j = 0; j < N; j++) {
        if (j == me) continue;
        while (atomic_load(&choosing[j])) {
        }
        while (atomic_load(&number[j]) != 0 &&
               (atomic_load(&number[j]) < atomic_load(&number[me]) ||
                (atomic_load(&number[j]) == atomic_load(&number[me]) && j < me))) {
        }
    }
}

static void unlock(int me) {
    atomic_store(&number[me], 0);
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
