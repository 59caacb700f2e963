// A thread with asynchronous cancellation may be cancelled while it waits for a mutex: it should not call
// what is not async-cancel-safe.
//@ revisions: lock loop
//@ expect: unsupported
//@[lock] cflags: -DLOOPS=0
//@[lock] reason: a wait of a thread with asynchronous cancellation
//@[loop] args: --step-limit=0.3 --max-events=1000000
//@[loop] cflags: -DLOOPS=1
//@[loop] reason: a loop without events in a thread with asynchronous cancellation
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    while (LOOPS) __asm__ volatile("nop");
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}
