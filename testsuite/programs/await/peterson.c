// Peterson's algorithm: the loop looks at two places. The looks of a turn are events; after a turn in vain the first look
// of the next waits until one of the two is not what it was. Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ executions: 12
//@ opt: O0 O1 O2
//@ smoke: yes
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int flag[N], turn;
int shared;

static void lock(int me) {
    int other = 1 - me;
    atomic_store(&flag[me], 1);
    atomic_store(&turn, other);
    while (atomic_load(&flag[other]) && atomic_load(&turn) == other) {
    }
}

static void unlock(int me) {
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
