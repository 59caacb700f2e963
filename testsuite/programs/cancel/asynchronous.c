// Asynchronous cancellation acts between any two instructions.
//@ expect: unsupported
//@ reason: asynchronous cancellation
#include <pthread.h>

static void *work(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    pthread_testcancel();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    return 0;
}
