// A thread is cancelled in a read that nobody writes for. The request comes before the thread looks: it
// leaves. If it comes after, the thread would leave too, having done nothing since: no execution of its
// own, and no deadlock.
//@ revisions: read poll
//@ expect: verified
//@ executions: 1
//@ blocked: 1
//@ outcomes: cancelled=1 *1
//@[read] cflags: -DPOLL=0
//@[poll] cflags: -DPOLL=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *work(void *unused) {
    struct pollfd one = {ends[0], POLLIN, 0};
    char byte;
    if (POLL)
        poll(&one, 1, -1);
    else
        dpor_assert(read(ends[0], &byte, 1) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pipe(ends);
    pthread_create(&thread, 0, work, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    return 0;
}
