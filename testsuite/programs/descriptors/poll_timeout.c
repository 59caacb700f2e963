// A time-out ends a wait only when nothing else can run: here the write comes in every execution, and
// the time-out never.
//@ args: --timeouts=none
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
    dpor_assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    dpor_assert(pipe(ends) == 0);
    struct pollfd one = {ends[0], POLLIN, 0};
    pthread_create(&thread, 0, writer, 0);
    dpor_assert(poll(&one, 1, 100) == 1);
    pthread_join(thread, 0);
    dpor_assert(poll(&one, 1, 0) == 1);
    return 0;
}
