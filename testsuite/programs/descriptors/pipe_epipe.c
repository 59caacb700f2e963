// The same with SIGPIPE ignored: the write succeeds or fails with EPIPE. 2 executions.
//@ expect: verified
//@ executions: 2
//@ outcomes: error=0 *1 | error=32 *1
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2];
static int error;

static void *writer(void *unused) {
    if (write(ends[1], "x", 1) != 1) error = errno;
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGPIPE, SIG_IGN);
    pipe(ends);
    pthread_create(&thread, 0, writer, 0);
    close(ends[0]);
    pthread_join(thread, 0);
    dpor_observe("error", error);
    return 0;
}
