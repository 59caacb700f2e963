// A thread waits on a condition variable until main says so. Main's section comes before the thread's
// first one, or after it, while the thread waits: 2.
//@ expect: verified
//@ executions: 2
#include <dpor.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
int ready;

static int work(void *unused) {
    (void)unused;
    mtx_lock(&mutex);
    while (!ready) cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    return 5;
}

int main(void) {
    thrd_t thread;
    int result;
    dpor_assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    dpor_assert(cnd_init(&changed) == thrd_success);
    thrd_create(&thread, work, 0);
    mtx_lock(&mutex);
    ready = 1;
    cnd_broadcast(&changed);
    mtx_unlock(&mutex);
    thrd_join(thread, &result);
    dpor_assert(result == 5);
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
    return 0;
}
