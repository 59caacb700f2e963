// The second join is of a thread that is gone.
//@ expect: bug
//@ kind: thread-misuse
//@ message: join of a thread that was already joined
#include <pthread.h>

static void *work(void *argument) {
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_join(thread, 0); //~ thread-misuse
    return 0;
}
