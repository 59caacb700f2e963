// Another thread posts once; main looks at the count, then tries. The post comes before, between or
// after: 3.
//@ expect: verified
//@ executions: 3
//@ outcomes: tried=0 value=0 *1 | tried=0 value=1 *1 | tried=-1 value=0 *1
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t semaphore;

static void *post(void *unused) {
    sem_post(&semaphore);
    return unused;
}

int main(void) {
    pthread_t thread;
    int value;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, post, NULL);
    sem_getvalue(&semaphore, &value);
    int tried = sem_trywait(&semaphore);
    pthread_join(thread, NULL);
    dpor_observe("value", value);
    dpor_observe("tried", tried);
    sem_destroy(&semaphore);
    return 0;
}
