// Who blocks uses no processor time. Whether the timer has expired by then depends on how much was used
// before: without --timeouts it was too little, with them it may have been.
//@ expect: unsupported
//@ revisions: never any
//@[any] args: --timeouts
//@ reason: a deadlock while a timer of processor time is armed
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

static void *work(void *unused) {
    for (volatile int i = 0; i < 10; i++) {}
    return unused;
}

int main(void) {
    pthread_t thread;
    int got;
    struct itimerval timer = {{0, 0}, {1, 0}};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGVTALRM);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&thread, 0, work, 0);
    setitimer(ITIMER_VIRTUAL, &timer, 0);
    sigwait(&set, &got);
    pthread_join(thread, 0);
    return 0;
}
