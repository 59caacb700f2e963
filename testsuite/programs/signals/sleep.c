// A handler interrupts a sleep, or it runs before the sleep, after it, or not at all. Only in the sleep
// itself it makes it fail.
//@ expect: verified
//@ executions: 4
//@ outcomes: ran=1 interrupted=0 *2 | ran=1 interrupted=1 *1 | ran=0 interrupted=0 *1
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

int ran, interrupted;

static void handler(int signal) {
    (void)signal;
    ran = 1;
}

static void *work(void *unused) {
    struct timespec second = {1, 0}, left = {0, 0};
    if (nanosleep(&second, &left)) {
        dpor_assert(errno == EINTR && left.tv_sec == 1);
        interrupted = 1;
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handler);
    pthread_create(&thread, 0, work, 0);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, 0);
    dpor_observe("ran", ran);
    dpor_observe("interrupted", interrupted);
    return 0;
}
