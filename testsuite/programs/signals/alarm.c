// Time does not send signals yet.
//@ expect: unsupported
//@ reason: alarm
#include <pthread.h>
#include <unistd.h>

static void *work(void *unused) {
    alarm(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
