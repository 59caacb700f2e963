// What the call is for: it unlocks a lock, a word, and wakes a waiter, in one step. Who finds the lock free
// with acquire sees what was written under it; with relaxed that is a race.
// The thread looks before the call or after it: 2. The race stops no execution.
//@ revisions: acquire relaxed
//@[acquire] cflags: -DORDER=memory_order_acquire
//@[relaxed] cflags: -DORDER=memory_order_relaxed
//@[acquire] expect: verified
//@[acquire] executions: 2
//@[acquire] outcomes: seen=0 | seen=7
//@[relaxed] expect: bug
//@[relaxed] kind: data-race
//@[relaxed] args: -k
#include <dpor.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int lock = 1, signals;
static int protected;

static void *look(void *unused) {
    int seen = 0;
    if (atomic_load_explicit(&lock, ORDER) == 0) seen = protected; //~[relaxed] race
    dpor_observe("seen", seen);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    protected = 7; //~[relaxed] race
    int unlock = FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_GT, 1);
    syscall(SYS_futex, &signals, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &lock, unlock);
    pthread_join(thread, 0);
    return 0;
}
