// Has the thread ended when main asks? It has or it has not: 2 executions. If it has, what it wrote
// and returned is there, and it cannot be joined again.
//@ expect: verified
//@ executions: 2
//@ outcomes: ended=0 *1 | ended=1 *1
//@ dfs: same-outcomes
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <pthread.h>

int written;

static void *work(void *argument) {
    written = 1;
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result = 0;
    pthread_create(&thread, 0, work, &written);
    int error = pthread_tryjoin_np(thread, &result);
    dpor_assert(error == 0 || error == EBUSY);
    if (error == EBUSY) pthread_join(thread, &result);
    dpor_assert(result == &written && written == 1);
    dpor_observe("ended", error == 0);
    return 0;
}
