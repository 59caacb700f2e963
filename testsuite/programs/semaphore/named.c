// Two threads open a semaphore that main made, and one posts what the other waits for. Open and close
// change the table of names, so that their order counts: A opens, posts, closes; B opens, waits, closes.
// Of the 6 orders of oA cA and oB cB, each pair in order, oB cB oA cA is impossible: B cannot close
// before A has posted. 5.
//@ expect: verified
//@ executions: 5
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t *open_it(void) {
    sem_t *semaphore = sem_open("/dpor-test", 0);
    if (semaphore == SEM_FAILED) abort();
    return semaphore;
}

static void *post(void *unused) {
    sem_t *semaphore = open_it();
    sem_post(semaphore);
    sem_close(semaphore);
    return unused;
}

static void *wait_for_it(void *unused) {
    sem_t *semaphore = open_it();
    sem_wait(semaphore);
    sem_close(semaphore);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    if (sem_open("/dpor-test", 0) != SEM_FAILED) abort();
    sem_t *made = sem_open("/dpor-test", O_CREAT | O_EXCL, 0600, 0);
    if (made == SEM_FAILED) abort();
    pthread_create(&threads[0], NULL, post, NULL);
    pthread_create(&threads[1], NULL, wait_for_it, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    sem_close(made);
    if (sem_unlink("/dpor-test") != 0) abort();
    if (sem_unlink("/dpor-test") == 0) abort();
    return 0;
}
