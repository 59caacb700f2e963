#include <pthread.h>
#ifndef THREADS
#define THREADS 2
#define ROUNDS 2
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void *work(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        total = total * 3 + i;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
}
