// Lamport's bakery without saying that a thread is choosing its number.
//@ expect: bug
//@ kind: data-race
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int choosing[N], number[N];
int shared;

static void lock(int me) {
    int max = 0;
    for (int j = 0; j < N; j++) {
        int n = atomic_load(&number[j]);
        if (n > max) max = n;
    }
    atomic_store(&number[me], max + 1);
    for (int j = 0; j < N; j++) {
        if (j == me) continue;
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
