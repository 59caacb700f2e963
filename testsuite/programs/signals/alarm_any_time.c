// By default, or with --timeouts, an alarm comes at any moment: before the store, after it, or too late. With none,
// nothing waits for it.
//@ revisions: any early never
//@ expect: verified
//@[any] args: --timeouts
//@[any] outcomes: seen=-1 | seen=0 | seen=1
//@[early] outcomes: seen=-1 | seen=0 | seen=1
//@[never] args: --timeouts=none
//@[never] outcomes: seen=-1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int stored;
static int seen = -1;

static void handler(int signal) {
    (void)signal;
    seen = atomic_load(&stored);
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    signal(SIGALRM, handler);
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    alarm(1);
    atomic_store(&stored, 1);
    atomic_load(&stored);
    dpor_observe("seen", seen);
    return 0;
}
