// Two pipes with a writer each. Poll tells of one of them or of both, and never of none; how many
// executions there are depends on the events by which a thread waits for several, which are not
// counted by hand here: --search=dfs must find the same outcomes.
//@ expect: verified
//@ outcomes: first=1 second=0 | first=0 second=1 | first=1 second=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int a[2], b[2];

static void *writer(void *end) {
    dpor_assert(write(*(int *)end, "x", 1) == 1);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pipe(a);
    pipe(b);
    struct pollfd both[2] = {{a[0], POLLIN, 0}, {b[0], POLLIN, 0}};
    pthread_create(&one, 0, writer, &a[1]);
    pthread_create(&two, 0, writer, &b[1]);
    int n = poll(both, 2, -1);
    dpor_assert(n == (both[0].revents != 0) + (both[1].revents != 0) && n > 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    dpor_observe("first", both[0].revents == POLLIN);
    dpor_observe("second", both[1].revents == POLLIN);
    return 0;
}
