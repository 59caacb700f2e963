// A thread that was joined is gone and cannot be cancelled.
//@ expect: bug
//@ kind: thread-misuse
//@ message: cancellation of a thread that was already joined
#include <pthread.h>

static void *work(void *argument) {
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_cancel(thread); //~ thread-misuse
    return 0;
}
