// Two locks in two orders, and a third thread that keeps out of it.
//@ expect: bug
//@ kind: deadlock
//@ checkpoint: snapshot
#include <pthread.h>

static int number;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *both(void *order) {
    pthread_mutex_t *first = order ? &a : &b, *second = order ? &b : &a;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    number++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return 0;
}

static void *one(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, both, &number);
    pthread_create(&threads[1], 0, both, 0);
    pthread_create(&threads[2], 0, one, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
