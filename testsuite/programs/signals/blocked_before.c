// All signals are blocked while threads are created, so that these have them blocked: the exploration
// begins with a mask in which faults are blocked, too.
// By hand: two threads take the mutex in two orders.
//@ expect: verified
//@ executions: 2
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *unused) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, 0, &mask);
    assert(sigismember(&mask, SIGSEGV) && sigismember(&mask, SIGUSR1));
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    sigset_t all, before;
    sigfillset(&all);
    for (int k = 0; k < 2; k++) {
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pthread_create(&threads[k], 0, work, 0);
        pthread_sigmask(SIG_SETMASK, &before, 0);
    }
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], 0);
    assert(counter == 2);
    return 0;
}
