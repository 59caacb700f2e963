// thrd_sleep orders nothing: both threads' sections still come in 2 orders. An interval that is none
// is an error other than -1.
//@ expect: verified
//@ executions: 2
#include <dpor.h>
#include <threads.h>

static mtx_t mutex;
int count;

static int work(void *unused) {
    (void)unused;
    struct timespec second = {1, 0}, wrong = {0, 2000000000};
    dpor_assert(thrd_sleep(&second, 0) == 0);
    dpor_assert(thrd_sleep(&wrong, 0) < -1);
    mtx_lock(&mutex);
    count++;
    mtx_unlock(&mutex);
    return 0;
}

int main(void) {
    thrd_t thread;
    mtx_init(&mutex, mtx_plain);
    thrd_create(&thread, work, 0);
    mtx_lock(&mutex);
    count++;
    mtx_unlock(&mutex);
    thrd_join(thread, 0);
    dpor_assert(count == 2);
    mtx_destroy(&mutex);
    return 0;
}
