// A thread cancels itself: its next cancellation point acts, in every execution.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <pthread.h>

int reached;

static void *work(void *unused) {
    pthread_cancel(pthread_self());
    reached = 1;
    pthread_testcancel();
    reached = 2;
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &result);
    dpor_assert(reached == 1 && result == PTHREAD_CANCELED);
    return 0;
}
