// One thread closes the only end for writing while the other writes: EBADF if the close is first.
// Events: K and T (close), W on the pipe (and nothing else): W before or after K. If after, the
// writer's descriptor is another one by then, and it looks in the table (L, before or after T): EBADF
// both times. 3 executions.
//@ expect: verified
//@ executions: 3
//@ outcomes: error=0 *1 | error=9 *2
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int error;

static void *writer(void *unused) {
    if (write(ends[1], "x", 1) != 1) error = errno;
    return unused;
}

int main(void) {
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, 0, writer, 0);
    close(ends[1]);
    pthread_join(thread, 0);
    dpor_observe("error", error);
    return 0;
}
