// A thread that was joined cannot be sent a signal.
//@ expect: bug
//@ kind: thread-misuse
//@ message: a signal to a thread that was already joined
#include <pthread.h>
#include <signal.h>

static void *work(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_kill(thread, SIGCHLD); //~ thread-misuse
    return 0;
}
