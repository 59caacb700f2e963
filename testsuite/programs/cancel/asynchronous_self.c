// A thread with asynchronous cancellation asks itself to end, and does so at once.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <pthread.h>

static int cleaned, went_on;

static void clean(void *unused) {
    (void)unused;
    cleaned = 1;
}

static void *work(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    pthread_cleanup_push(clean, 0);
    pthread_cancel(pthread_self());
    went_on = 1;
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &result);
    dpor_assert(result == PTHREAD_CANCELED && cleaned && !went_on);
    return 0;
}
