// A thread passes two cancellation points; main cancels it once. The request comes before the first,
// between the two, or after the second: 3 executions, and the thread gets as far as that says.
//@ expect: verified
//@ executions: 3
//@ outcomes: steps=0 cancelled=1 *1 | steps=1 cancelled=1 *1 | steps=2 cancelled=0 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>

int steps;

static void *work(void *unused) {
    pthread_testcancel();
    steps++;
    pthread_testcancel();
    steps++;
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, work, 0);
    dpor_assert(pthread_cancel(thread) == 0);
    pthread_join(thread, &result);
    dpor_observe("steps", steps);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    return 0;
}
