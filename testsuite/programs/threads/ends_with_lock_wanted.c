// Main wants the mutex that the thread took along: a deadlock.
//@ expect: bug
//@ kind: deadlock thread-misuse
//@ args: -k
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex); //~ thread-misuse
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_mutex_lock(&mutex); //~ deadlock
    pthread_mutex_unlock(&mutex);
    return 0;
}
