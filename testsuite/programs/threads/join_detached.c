// A detached thread cannot be joined, whether it has ended or not.
//@ expect: bug
//@ kind: thread-misuse
//@ message: join of a detached thread
#include <pthread.h>

static void *work(void *argument) {
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
    pthread_join(thread, 0); //~ thread-misuse
    return 0;
}
