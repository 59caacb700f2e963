// Timers that are read. Where nothing else can go on they expire: 1. Main reads one that expires once, waits
// with poll for one with an interval, and finds nothing in one that it disarmed.
//@ args: --timeouts=none
//@ expect: verified
//@ executions: 1
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void *idle(void *unused) { return unused; }

static long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(void) {
    pthread_t thread;
    uint64_t count = 0;
    struct itimerspec once = {{0, 0}, {1, 0}}, often = {{0, 500000000}, {1, 0}}, never = {{0, 0}, {0, 0}}, left;
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    dpor_assert(timer >= 0);
    long before = milliseconds();
    dpor_assert(timerfd_settime(timer, 0, &once, &left) == 0 && left.it_value.tv_sec == 0);
    dpor_assert(timerfd_gettime(timer, &left) == 0);
    dpor_assert(left.it_value.tv_sec == 0 && left.it_value.tv_nsec > 900000000);
    dpor_assert(read(timer, &count, sizeof(count)) == 8 && count == 1);
    dpor_assert(milliseconds() >= before + 1000);
    dpor_assert(write(timer, &count, sizeof(count)) == -1 && errno == EINVAL);

    struct pollfd one = {timer, POLLIN, 0};
    dpor_assert(timerfd_settime(timer, 0, &often, 0) == 0);
    dpor_assert(poll(&one, 1, 0) == 0);
    for (int i = 0; i < 3; i++) {
        dpor_assert(poll(&one, 1, -1) == 1 && one.revents == POLLIN);
        dpor_assert(read(timer, &count, sizeof(count)) == 8 && count == 1);
    }
    dpor_assert(timerfd_settime(timer, 0, &never, &left) == 0 && left.it_interval.tv_nsec == 500000000);
    dpor_assert(poll(&one, 1, 0) == 0 && close(timer) == 0);

    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    dpor_assert(timerfd_settime(timer, 0, &once, 0) == 0);
    dpor_assert(read(timer, &count, sizeof(count)) == -1 && errno == EAGAIN);
    dpor_assert(timerfd_settime(0, 0, &once, 0) == -1 && errno == EINVAL);
    dpor_assert(timerfd_settime(99, 0, &once, 0) == -1 && errno == EBADF);
    return 0;
}
