// Two threads join each other and wait for ever, whatever comes first; main has left.
// Main publishes their numbers under a mutex.
//@ expect: bug
//@ kind: deadlock
#include <pthread.h>

static pthread_t threads[2];
static pthread_mutex_t ready = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *other) {
    pthread_mutex_lock(&ready);
    pthread_mutex_unlock(&ready);
    pthread_join(threads[(long)other], 0); //~ deadlock
    return 0;
}

int main(void) {
    pthread_mutex_lock(&ready);
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)(1 - i));
    pthread_mutex_unlock(&ready);
    pthread_exit(0);
}
