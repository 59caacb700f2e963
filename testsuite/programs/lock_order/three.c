// Three threads, each between two of three mutexes, in a ring; one after the other, so that nothing
// deadlocks. One thread that takes both orders of a pair alone (main) is no inversion.
//@ expect: verified
//@ executions: 1
//@ kind: lock-order-inversion
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void use(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second); //~ lock-order-inversion
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *next(void *number) {
    int i = *(int *)number;
    use(&locks[i], &locks[(i + 1) % 3]);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int numbers[] = {0, 1, 2};
    use(&own[0], &own[1]);
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, next, &numbers[i]);
        pthread_join(threads[i], NULL);
    }
    use(&own[1], &own[0]);
    return 0;
}
