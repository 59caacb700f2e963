// Two threads wait on one word; one of them is woken and the other moved to another futex; then the
// word changes and who waits there is woken, and then who waits at the other.
// Each thread joins before the requeue, between it and the store, or finds the word changed. S:
// those before it. S empty: 2 * 2. One, which is woken: who (2), where the other is (2). Both: which
// of them is woken (2), the other is moved. 10 in all. "requeued" counts both with a comparison
// (equal) and the woken one without (plain). If the comparison fails (differs) nobody is woken or
// moved, but the requeue looked at who waits: each thread is in one of three places, 3 * 3, and woken
// by the next wake-up unless it found the word changed.
//@ revisions: equal plain differs
//@[equal] cflags: -DCOMMAND=FUTEX_CMP_REQUEUE_PRIVATE -DEXPECTED=0
//@[plain] cflags: -DCOMMAND=FUTEX_REQUEUE_PRIVATE -DEXPECTED=5
//@[differs] cflags: -DCOMMAND=FUTEX_CMP_REQUEUE_PRIVATE -DEXPECTED=5
//@ expect: verified
//@[equal] executions: 10
//@[plain] executions: 10
//@[differs] executions: 9
//@[equal] outcomes: requeued=0 here=0 there=0 *1 | requeued=0 here=1 there=0 *2 | requeued=0 here=2 there=0 *1 | requeued=1 here=0 there=0 *2 | requeued=1 here=1 there=0 *2 | requeued=2 here=0 there=1 *2
//@[plain] outcomes: requeued=0 here=0 there=0 *1 | requeued=0 here=1 there=0 *2 | requeued=0 here=2 there=0 *1 | requeued=1 here=0 there=0 *2 | requeued=1 here=1 there=0 *2 | requeued=1 here=0 there=1 *2
//@[differs] outcomes: requeued=-1 here=0 there=0 *1 | requeued=-1 here=1 there=0 *4 | requeued=-1 here=2 there=0 *4
#include <dpor.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, other;

static void *waiter(void *unused) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, waiter, 0);
    long requeued = syscall(SYS_futex, &word, COMMAND, 1, INT_MAX, &other, EXPECTED);
    word = 1;
    long here = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
    long there = syscall(SYS_futex, &other, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    dpor_observe("requeued", (int)requeued);
    dpor_observe("here", (int)here);
    dpor_observe("there", (int)there);
    return 0;
}
