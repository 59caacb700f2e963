// A buffer of one place, one condition variable for "full" and "empty", and `signal` where it had to be `broadcast`: a
// consumer wakes the other consumer, which finds nothing and waits again, and the producer sleeps for ever.
//@ expect: bug
//@ kind: deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void *produce(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (items == 1) pthread_cond_wait(&changed, &lock);
        items++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused) {
    pthread_mutex_lock(&lock);
    while (items == 0) pthread_cond_wait(&changed, &lock);
    items--;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, produce, 0);
    pthread_create(&threads[1], 0, consume, 0);
    pthread_create(&threads[2], 0, consume, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
