// Signals that a thread waits for, for ever. *wrong*: another thread sends one, too.
//@ revisions: right wrong
//@ args: --states --max-states 100000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: assertion
//@[wrong] cflags: -DWRONG
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t arrived;
static pthread_t thread;
static volatile int handled;

static void handle(int signal) { handled += signal == SIGUSR1; }

static void *wait(void *unused) {
    sigset_t none;
    sigemptyset(&none);
    for (;;) {
        handled = 0;
        sigsuspend(&none);
        assert(handled == 1);
        sem_post(&arrived);
    }
    return unused;
}

static void *disturb(void *unused) {
    pthread_kill(thread, SIGUSR2);
    return unused;
}

int main(void) {
    pthread_t other;
    struct sigaction action = {.sa_handler = handle};
    sigset_t blocked;
    sigaction(SIGUSR1, &action, 0);
    sigaction(SIGUSR2, &action, 0);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigaddset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &blocked, 0);
    sem_init(&arrived, 0, 0);
    pthread_create(&thread, 0, wait, 0);
#ifdef WRONG
    pthread_create(&other, 0, disturb, 0);
#else
    (void)other, (void)disturb;
#endif
    for (;;) {
        pthread_kill(thread, SIGUSR1);
        sem_wait(&arrived);
    }
}
