// A deadline that has passed: the call does not wait. The other thread holds the mutex, or does not:
// before, in and after its section, 3; of semaphore and read-write lock there is nothing to wait for.
//@ expect: verified
//@ executions: 3
//@ outcomes: result=0 *2 | result=110 *1
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;

static void *use(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec past = {1, 0}, wrong = {1, 1000000000};
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, use, NULL);
    int result = pthread_mutex_timedlock(&mutex, &past);
    if (result == 0) pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    dpor_observe("result", result);
    if (sem_timedwait(&semaphore, &past) != -1 || errno != ETIMEDOUT) abort();
    if (sem_timedwait(&semaphore, &wrong) != -1 || errno != EINVAL) abort();
    if (pthread_rwlock_timedwrlock(&rwlock, &past) != 0) abort();
    if (pthread_rwlock_timedrdlock(&rwlock, &past) != ETIMEDOUT) abort();
    pthread_rwlock_unlock(&rwlock);
    if (pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &past) != 0) abort();
    sem_destroy(&semaphore);
    return 0;
}
