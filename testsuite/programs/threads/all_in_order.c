// Joined, detached while it runs, detached from the start, detached by itself; no mutex is kept: nothing
// to say. Main leaves by pthread_exit.
//@ expect: verified
//@ executions: 1
#include <pthread.h>

static void *work(void *unused) {
    return unused;
}

static void *alone(void *unused) {
    pthread_detach(pthread_self());
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
    pthread_create(&thread, &attributes, work, 0);
    pthread_create(&thread, 0, alone, 0);
    pthread_exit(0);
}
