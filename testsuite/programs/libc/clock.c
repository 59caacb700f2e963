// Time is virtual: a thread's readings never go back, and a sleep takes at least as long as asked,
// without waiting for it.
//@ expect: verified
//@ seconds: 20
#include <dpor.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *work(void *unused) {
    long long before = now();
    sleep(1000);
    dpor_assert(now() - before >= 1000 * 1000000000LL);
    return unused;
}

int main(void) {
    pthread_t thread;
    long long before = now();
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    dpor_assert(now() >= before);
    return 0;
}
