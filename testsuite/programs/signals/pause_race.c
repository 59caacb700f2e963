// The classic mistake: the signal may arrive before pause, which then waits for ever.
//@ expect: bug
//@ kind: deadlock
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void handler(int signal) {
    (void)signal;
}

static void *work(void *unused) {
    pause(); //~ deadlock
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handler);
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, 0);
    return 0;
}
