// Main returns while a thread runs, or before it begins: it is named, with where it is.
//@ expect: verified
//@ kind: main-exits-early
//@ message: thread 1 is at
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}
