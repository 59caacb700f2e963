// Two threads write and post, a third waits once: either post may have let it pass, and it races with
// the write of the other. The wait comes after both posts, which commute, or before one: 3.
//@ expect: bug
//@ kind: data-race
//@ args: -k --reductions=commute,observers
//@ executions: 3
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t ready;
static int values[2], sum;

static void *produce(void *place) {
    *(int *)place = 1; //~ race
    sem_post(&ready);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&ready, 0, 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, produce, &values[i]);
    sem_wait(&ready);
    sum = values[0] + values[1]; //~ race
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    sem_destroy(&ready);
    return sum > 2;
}
