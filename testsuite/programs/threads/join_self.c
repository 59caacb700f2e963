// A thread joins itself: glibc says EDEADLK.
//@ expect: bug
//@ kind: thread-misuse
//@ message: a thread joins itself
#include <dpor.h>
#include <errno.h>
#include <pthread.h>

static void *work(void *argument) {
    dpor_assert(pthread_join(pthread_self(), 0) == EDEADLK); //~ thread-misuse
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
