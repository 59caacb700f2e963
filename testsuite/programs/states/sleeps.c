// Threads that sleep and look at a clock, for ever: where states are remembered clocks stand still, and a note says so.
//@ args: --states
//@ expect: verified
//@ note: clocks stood still
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int bit;

static void *work(void *unused) {
    for (;;) {
        struct timespec now;
        usleep(10);
        clock_gettime(CLOCK_MONOTONIC, &now);
        atomic_fetch_xor(&bit, 1);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    return 0;
}
