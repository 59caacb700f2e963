// A thread that has ended and that nobody joins or detaches: a warning, with the place of its creation.
// The thread's section and main's have 2 orders. Where the thread's is first, all it does happens before main
// returns. Where it is second nothing orders it with that, and the warning is the other one.
//@ expect: verified
//@ kind: thread-misuse main-exits-early
//@ message: neither joined nor detached
//@ executions: 2
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0); //~ thread-misuse
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0; //~ main-exits-early
}
