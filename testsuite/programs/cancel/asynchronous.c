// Asynchronous cancellation acts before any access that is an event. The request comes before the thread
// looks as it changes its type, before the first store, before the second, or after that: 4.
// disabled: the thread does not look while it does not want to, but as it enables cancellation again, which
// comes after both stores: before or after the request, 2.
//@ revisions: enabled disabled
//@ expect: verified
//@[enabled] cflags: -DDISABLES=0
//@[enabled] executions: 4
//@[enabled] outcomes: a=0 b=0 cleaned=0 cancelled=1 *1 | a=0 b=0 cleaned=1 cancelled=1 *1 | a=1 b=0 cleaned=1 cancelled=1 *1 | a=1 b=1 cleaned=0 cancelled=0 *1
//@[disabled] cflags: -DDISABLES=1
//@[disabled] executions: 2
//@[disabled] outcomes: a=1 b=1 cleaned=1 cancelled=1 *1 | a=1 b=1 cleaned=0 cancelled=0 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;
static int cleaned;

static void clean(void *unused) {
    (void)unused;
    cleaned = 1;
}

static void *work(void *unused) {
    if (DISABLES) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    pthread_cleanup_push(clean, 0);
    a = 1;
    b = 1;
    if (DISABLES) pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    dpor_observe("a", a);
    dpor_observe("b", b);
    dpor_observe("cleaned", cleaned);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    return 0;
}
