// If main is first it finds 0, and an assertion fails and ends the process: before the thread's exchange, or
// after it. If the thread is first it asks for a value of an int, of which there are too many to try. This is
// the third order, and named, too: with -k all findings are wanted, and these may not be all.
//@ expect: bug
//@ args: -k
//@ kind: assertion
//@ reason: nondet
//@ failed: 2
//@ executions: 0
//@ replay: no
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);
static atomic_int taken;

static void *work(void *unused) {
    if (atomic_exchange(&taken, 1) == 0 && __VERIFIER_nondet_int() % 3) return 0;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int found = atomic_exchange(&taken, 1);
    assert(found != 0);
    pthread_join(thread, 0);
    return 0;
}
