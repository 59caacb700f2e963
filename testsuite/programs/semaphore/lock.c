// A semaphore of count 1 as a lock, three threads, twice each: the orders of six sections, three
// pairs alike: 6! / 2^3 = 90.
//@ expect: verified
//@ executions: 90
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t one;
static int x;

static void *twice(void *unused) {
    for (int i = 0; i < 2; i++) {
        sem_wait(&one);
        x++;
        sem_post(&one);
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    sem_init(&one, 0, 1);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, twice, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    sem_destroy(&one);
    return x == 6 ? 0 : 1;
}
