// A thread makes two atomic stores; main sends it a signal. The handler notes how far the thread was.
// The thread looks before each store and when it has nothing left to do. Main's send comes before one of
// these three looks or after the last: 4 executions. In the last one the handler does not run.
//@ expect: verified
//@ executions: 4
//@ outcomes: at=0 *1 | at=1 *1 | at=2 *1 | at=-1 *1
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static _Atomic int steps;
int at = -1;

static void handler(int signal) {
    dpor_assert(signal == SIGUSR1);
    at = atomic_load_explicit(&steps, memory_order_relaxed);
}

static void *work(void *unused) {
    atomic_store(&steps, 1);
    atomic_store(&steps, 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handler);
    pthread_create(&thread, 0, work, 0);
    dpor_assert(pthread_kill(thread, SIGUSR1) == 0);
    pthread_join(thread, 0);
    dpor_observe("at", at);
    return 0;
}
