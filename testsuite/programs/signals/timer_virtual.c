// Processor time passes only while threads run.
//@ expect: unsupported
//@ reason: timer of processor time
#include <pthread.h>
#include <sys/time.h>

static void *work(void *unused) {
    struct itimerval timer = {{0, 0}, {1, 0}};
    setitimer(ITIMER_VIRTUAL, &timer, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
