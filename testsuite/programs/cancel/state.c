// A thread that forbids it is not cancelled, whenever the request comes; once it allows it again, its
// next cancellation point acts on the request. The request comes before that point or after it: 2.
//@ expect: verified
//@ executions: 2
//@ outcomes: step=1 *1 | step=2 *1
#include <dpor.h>
#include <errno.h>
#include <pthread.h>

int step;

static void *work(void *unused) {
    int old;
    dpor_assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    dpor_assert(old == PTHREAD_CANCEL_ENABLE);
    pthread_testcancel();
    step = 1;
    dpor_assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0);
    dpor_assert(old == PTHREAD_CANCEL_DISABLE);
    dpor_assert(pthread_setcancelstate(7, 0) == EINVAL);
    pthread_testcancel();
    step = 2;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    dpor_observe("step", step);
    return 0;
}
