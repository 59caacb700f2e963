// Nobody sends what the thread waits for, only another signal, which is ignored: a deadlock.
//@ expect: bug
//@ kind: deadlock
#include <pthread.h>
#include <signal.h>

static void *work(void *unused) {
    sigset_t set;
    int signal;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    sigwait(&set, &signal); //~ deadlock
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGCHLD);
    pthread_join(thread, 0);
    return 0;
}
