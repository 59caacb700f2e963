// A loop that repeats the same state for ever ends all the same, if the handler of a timer leaves it.
//@ args: --timeouts=none
//@ expect: incomplete
//@ revisions: real profile
//@[real] cflags: -DWHICH=ITIMER_REAL
//@[profile] cflags: -DWHICH=ITIMER_PROF
//@ args: --step-limit 1
//@ reason: step limit
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static void handler(int signal) {
    (void)signal;
    _exit(0);
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    struct itimerval timer = {{0, 0}, {1, 0}};
    signal(SIGALRM, handler);
    signal(SIGPROF, handler);
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    setitimer(WHICH, &timer, 0);
    for (;;) __asm__ volatile("");
}
