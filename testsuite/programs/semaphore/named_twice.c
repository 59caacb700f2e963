// Two threads make a semaphore of the same name, of count 1, at the same time: both get the same one,
// so that each can wait once before it posts, and the count is 1 in the end.
//@ expect: verified
//@ dfs: same-outcomes
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static void *use(void *place) {
    sem_t *semaphore = sem_open("/dpor-test", O_CREAT, 0600, 1);
    if (semaphore == SEM_FAILED) abort();
    sem_wait(semaphore);
    sem_post(semaphore);
    *(sem_t **)place = semaphore;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    sem_t *opened[2];
    int value;
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, use, &opened[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    if (opened[0] != opened[1]) abort();
    if (sem_getvalue(opened[0], &value) != 0 || value != 1) abort();
    return 0;
}
