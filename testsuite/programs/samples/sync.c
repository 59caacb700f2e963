// Two consumers and a producer use one condition variable, and each change wakes one of them, perhaps the wrong
// one: a consumer that wakes the other consumer leaves the producer asleep.
//@ expect: bug
//@ kind: deadlock
//@ checkpoint: snapshot
#include <pthread.h>

static int items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *produce(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (items == 1)
            pthread_cond_wait(&changed, &lock);
        items = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused) {
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&changed, &lock);
    items = 0;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t producer, consumers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&consumers[i], 0, consume, 0);
    pthread_create(&producer, 0, produce, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(consumers[i], 0);
    pthread_join(producer, 0);
}
