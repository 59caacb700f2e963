// A timer without a handler only ends a process that takes too long. It is no reason to end a check:
// the thread's busy work takes longer than those 100 ms. Two orders of the lock.
//@ expect: verified
//@ executions: 2
//@ args: --step-limit=30
#include <pthread.h>
#include <sys/time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    volatile unsigned long private_counter = 0;
    for (unsigned long i = 0; i < 1500000000ul; i++) private_counter = i;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    // CPU time, which is short until here.
    struct itimerval timer = {{0, 0}, {0, 100000}};
    setitimer(ITIMER_VIRTUAL, &timer, 0);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
