// Changing the environment is taken back. The write conflicts with the other thread's read, so
// the variable is seen or not: two outcomes. Before, it is never there.
//@ expect: verified
//@ outcomes: seen=0 | seen=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <stdlib.h>

static void *change(void *unused) {
    dpor_assert(!getenv("DPOR_TESTED"));
    setenv("DPOR_TESTED", "yes", 1);
    dpor_assert(getenv("DPOR_TESTED")[0] == 'y');
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    dpor_observe("seen", getenv("DPOR_TESTED") != 0);
    pthread_join(thread, 0);
    dpor_assert(getenv("DPOR_TESTED") != 0);
    return 0;
}
