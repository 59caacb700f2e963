// A signal and a request come to a thread that waits. If the signal comes first, the wait ends as if
// there were no request: it did consume the signal, and the request acts at the next cancellation point.
// If the request comes first, the thread leaves and nobody gets the signal. With the flag set under the
// mutex the thread may also come too late to wait; then there is no cancellation point, and it ends.
// So: it leaves in the wait (flag unseen, step 0), or at the point after it (step 1), or passes that
// (step 2). In the wait it leaves only if it came before the flag.
//@ expect: verified
//@ outcomes: step=0 cancelled=1 | step=1 cancelled=1 | step=2 cancelled=0
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int flag, step;

static void unlock(void *held) {
    pthread_mutex_unlock(held);
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    while (!flag) pthread_cond_wait(&changed, &mutex);
    pthread_cleanup_pop(1);
    step = 1;
    pthread_testcancel();
    step = 2;
    return unused;
}

static void *signal(void *unused) {
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t waiter, signaller;
    void *result;
    pthread_create(&waiter, 0, work, 0);
    pthread_create(&signaller, 0, signal, 0);
    pthread_cancel(waiter);
    pthread_join(waiter, &result);
    pthread_join(signaller, 0);
    dpor_observe("step", step);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    return 0;
}
