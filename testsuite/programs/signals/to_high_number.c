// A signal to a thread with a high number, which waits for it: it comes before the wait, or while the thread waits. The
// other 69 threads do nothing: 2.
//@ expect: verified
//@ executions: 2
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

enum { THREADS = 70 };

static int got;

static void *work(void *number) {
    if ((intptr_t)number == THREADS) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigwait(&set, &got);
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS + 1];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    for (intptr_t n = 1; n <= THREADS; n++) pthread_create(&threads[n], 0, work, (void *)n);
    pthread_kill(threads[THREADS], SIGUSR1);
    for (int n = 1; n <= THREADS; n++) pthread_join(threads[n], 0);
    dpor_assert(got == SIGUSR1);
    return 0;
}
