// A primitive that is not modelled is named, not ignored.
//@ golden: yes
//@ expect: unsupported
//@ reason: pthread_barrier
#include <pthread.h>

static pthread_barrier_t barrier;

static void *work(void *unused) {
    pthread_barrier_init(&barrier, 0, 1);
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
