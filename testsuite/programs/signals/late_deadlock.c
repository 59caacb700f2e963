// What late signals do not hide.
// one: the thread ran its handler and waits on, for a mutex that main does not give back.
// two: there is another time-out after that.
//@ args: --timeouts=none
//@ revisions: one two
//@ expect: bug
//@ kind: deadlock
//@[one] cflags: -DTIMES=1
//@[two] cflags: -DTIMES=2
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;

static void handler(int signal) {
    (void)signal;
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex); //~ deadlock
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
    if (TIMES == 2) sem_timedwait(&never, &until);
    pthread_join(thread, 0); //~ deadlock
    sem_destroy(&never);
    return 0;
}
