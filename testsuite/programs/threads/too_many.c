// The 1,025th thread besides the first is more than the checker follows.
//@ expect: unsupported
//@ reason: more than 1,024 threads besides the first alive at once
#include <pthread.h>

static void *work(void *argument) {
    return argument;
}

int main(void) {
    static pthread_t threads[1025];
    for (int i = 0; i < 1025; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 1025; i++) pthread_join(threads[i], 0);
    return 0;
}
