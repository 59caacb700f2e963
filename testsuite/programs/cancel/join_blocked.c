// The joiner waits for a thread that only ends after the joiner has been cancelled: it always leaves.
// Not cancelling it would be a deadlock (revision without).
//@ revisions: with without
//@[with] expect: verified
//@[with] outcomes: cancelled=1
//@[with] dfs: same-outcomes
//@[without] expect: bug
//@[without] kind: deadlock
//@[without] cflags: -DWITHOUT
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t other;

static void *wait(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *work(void *unused) {
    pthread_join(other, 0);
    return unused;
}

int main(void) {
    pthread_t joiner;
    void *result;
    pthread_mutex_lock(&mutex);
    pthread_create(&other, 0, wait, 0);
    pthread_create(&joiner, 0, work, 0);
#ifndef WITHOUT
    pthread_cancel(joiner);
#endif
    pthread_join(joiner, &result);
    pthread_mutex_unlock(&mutex);
    pthread_join(other, 0);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    return 0;
}
