// A function of libc that no table lists reads lines of a FILE that two threads share. It takes the
// FILE's lock and looks at what is buffered before it needs the kernel, so the whole call is the
// event: nobody comes between, and nobody waits for the lock. The two calls in both orders: 2
// executions. In revision `bug` one order is wrong, and the schedule is replayed.
//@ revisions: both bug
//@[bug] cflags: -DFIRST_MUST_BE_MAIN
//@ opt: O0 O2
//@[both] expect: verified
//@[both] executions: 2
//@[both] outcomes: main=1 thread=2 *1 | main=2 thread=1 *1
//@[both] dfs: same-outcomes
//@[bug] expect: bug
//@[bug] kind: assertion
//@ stdin: a b c d 1 1\na b c d 2 2\n
#include <dpor.h>
#include <mntent.h>
#include <pthread.h>
#include <stdio.h>

static int got[2];

static void entry(int *slot) {
    struct mntent one;
    char text[256];
    struct mntent *found = getmntent_r(stdin, &one, text, sizeof text);
    *slot = found ? found->mnt_freq : -1;
}

static void *reader(void *unused) {
    entry(&got[1]);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    entry(&got[0]);
    pthread_join(thread, 0);
    dpor_observe("main", got[0]);
    dpor_observe("thread", got[1]);
#ifdef FIRST_MUST_BE_MAIN
    dpor_assert(got[0] == 1);
#endif
    return 0;
}
