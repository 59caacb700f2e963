// A late handler runs while what main keeps does not hold: between two stores.
//@ args: --timeouts=none
//@ expect: bug
//@ kind: assertion
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static atomic_int x, y;

static void handler(int signal) {
    (void)signal;
    dpor_assert(x == y); //~ assertion
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec until = {4000000000, 0};
    sem_init(&never, 0, 0);
    signal(SIGUSR1, handler);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    sem_timedwait(&never, &until);
    pthread_kill(thread, SIGUSR1);
    y = 1;
    x = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    sem_destroy(&never);
    return 0;
}
