// The handler is what makes main signal the condition variable for which its thread waits. No deadlock, as
// the handler runs although the thread waits.
//@ expect: verified
//@ outcomes: ran=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t handled, waits;
static int ready, ran;

static void handler(int signal) {
    (void)signal;
    ran = 1;
    sem_post(&handled);
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    sem_post(&waits);
    while (!ready) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&handled, 0, 0);
    sem_init(&waits, 0, 0);
    signal(SIGUSR1, handler);
    pthread_create(&thread, 0, work, 0);
    sem_wait(&waits);
    pthread_mutex_lock(&mutex); // The thread is in its wait.
    pthread_mutex_unlock(&mutex);
    pthread_kill(thread, SIGUSR1);
    sem_wait(&handled);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    dpor_observe("ran", ran);
    sem_destroy(&handled);
    sem_destroy(&waits);
    return 0;
}
