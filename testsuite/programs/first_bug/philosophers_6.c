// Six philosophers, each with the left fork first.
//@ expect: bug
//@ kind: deadlock
#include <pthread.h>

enum { N = 6 };

static pthread_mutex_t forks[N];

static void *eat(void *left) {
    pthread_mutex_t *first = left;
    pthread_mutex_t *second = &forks[(first - forks + 1) % N];
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_mutex_init(&forks[i], 0);
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, eat, &forks[i]);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < N; i++) pthread_mutex_destroy(&forks[i]);
    return 0;
}
