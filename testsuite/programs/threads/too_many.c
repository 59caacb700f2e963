// The 65th thread alive is more than the checker follows.
//@ expect: unsupported
//@ reason: more than 64 threads alive at once
#include <pthread.h>

static void *work(void *argument) {
    return argument;
}

int main(void) {
    pthread_t threads[64];
    for (int i = 0; i < 64; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 64; i++) pthread_join(threads[i], 0);
    return 0;
}
