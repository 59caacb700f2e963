// A thread ends while it holds a mutex; nobody else wants it: a warning, with where it was taken.
//@ expect: verified
//@ kind: thread-misuse
//@ message: a thread ends while it holds a mutex
//@ executions: 1
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, given_back = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&given_back);
    pthread_mutex_lock(&mutex); //~ thread-misuse
    pthread_mutex_unlock(&given_back);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
