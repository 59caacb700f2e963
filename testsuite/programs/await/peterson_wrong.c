// Peterson's algorithm with its two stores the wrong way round: both threads get in.
//@ expect: bug
//@ kind: data-race
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int flag[N], turn;
int shared;

static void lock(int me) {
    int other = 1 - me;
    atomic_store(&turn, other);
    atomic_store(&flag[me], 1);
    while (atomic_load(&flag[other]) && atomic_load(&turn) == other) {
    }
}

static void unlock(int me) {
    atomic_store(&flag[me], 0);
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    lock(me);
    shared++; //~ race
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
