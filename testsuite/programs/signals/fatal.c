// A signal that nobody handles ends the process.
//@ expect: bug
//@ kind: crash
//@ message: signal 15
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

atomic_int x;

static void *work(void *unused) {
    atomic_store(&x, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGTERM);
    pthread_join(thread, 0);
    return 0;
}
