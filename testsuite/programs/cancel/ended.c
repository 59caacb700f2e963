// Cancelling a thread that has ended is allowed and does nothing, as long as it was not joined. The
// thread passes no cancellation point: 1 execution.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <pthread.h>

static void *work(void *argument) {
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, &thread);
    dpor_assert(pthread_cancel(thread) == 0);
    dpor_assert(pthread_cancel(thread) == 0);
    pthread_join(thread, &result);
    dpor_assert(result == &thread);
    return 0;
}
