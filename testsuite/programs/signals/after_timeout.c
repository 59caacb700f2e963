// The time-out comes only because the thread waits. What it is sent after that cannot have come before, and
// it is not woken: said, and not counted as an execution that is not possible.
//@ revisions: signal cancel
//@ expect: unsupported
//@ reason: only a time-out let anything go on
//@[signal] cflags: -DCANCELS=0
//@[cancel] cflags: -DCANCELS=1
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t never, unlocks;

static void handler(int signal) {
    (void)signal;
    sem_post(&unlocks);
}

static void *work(void *unused) {
    if (CANCELS) sem_wait(&unlocks);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec until;
    sem_init(&never, 0, 0);
    sem_init(&unlocks, 0, 0);
    signal(SIGUSR1, handler);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, work, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    sem_timedwait(&never, &until);
    if (CANCELS)
        pthread_cancel(thread);
    else
        pthread_kill(thread, SIGUSR1);
    if (!CANCELS) sem_wait(&unlocks);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
