// Two threads wait for pipes of their own in vain. Which of them gives up first is a choice, and what they
// do then commutes: 2. Where a time-out lets the other thread go on, its own does not come.
//@ args: --timeouts=none
//@ revisions: vain write
//@ expect: verified
//@[vain] cflags: -DWRITES=0
//@[vain] executions: 2
//@[vain] outcomes: first=0 second=0 *2
// The first to give up writes to the other: 2, and the other finds it.
//@[write] cflags: -DWRITES=1
//@[write] executions: 2
//@[write] outcomes: first=0 second=1 *1 | first=1 second=0 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int a[2], b[2], found[2];

static void *wait_in_vain(void *number) {
    int own = *(int *)number;
    struct pollfd one = {own ? b[0] : a[0], POLLIN, 0};
    found[own] = poll(&one, 1, 100);
    if (WRITES && !found[own]) dpor_assert(write(own ? a[1] : b[1], "x", 1) == 1);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    dpor_assert(pipe(a) == 0 && pipe(b) == 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, wait_in_vain, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    dpor_observe("first", found[0]);
    dpor_observe("second", found[1]);
    return 0;
}
