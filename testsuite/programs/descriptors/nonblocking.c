// A reader that does not wait finds nothing, or the byte: 2 executions.
//@ expect: verified
//@ executions: 2
//@ outcomes: n=-1 error=11 *1 | n=1 error=0 *1
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
    dpor_assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte;
    dpor_assert(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
    dpor_assert(fcntl(ends[0], F_GETFL) == O_NONBLOCK);
    pthread_create(&thread, 0, writer, 0);
    int n = read(ends[0], &byte, 1);
    int error = n < 0 ? errno : 0;
    pthread_join(thread, 0);
    dpor_observe("n", n);
    dpor_observe("error", error);
    return 0;
}
