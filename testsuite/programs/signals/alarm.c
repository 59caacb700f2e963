// The last alarm ends the pause, when nothing else can go on. There is no other order: 1.
//@ args: --timeouts=none
//@ expect: verified
//@ executions: 1
//@ outcomes: ran=1 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static int ran;

static void handler(int signal) {
    dpor_assert(signal == SIGALRM);
    ran++;
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    struct timespec before, after;
    signal(SIGALRM, handler);
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    dpor_assert(alarm(10) == 0 && alarm(2) == 10);
    dpor_assert(ualarm(500000, 0) >= 1000000); // Two seconds were left.
    clock_gettime(CLOCK_MONOTONIC, &before);
    dpor_assert(pause() == -1 && errno == EINTR && ran == 1);
    clock_gettime(CLOCK_MONOTONIC, &after);
    long passed = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
    dpor_assert(passed > 400000000 && passed < 600000000);
    dpor_assert(alarm(0) == 0);
    dpor_observe("ran", ran);
    return 0;
}
