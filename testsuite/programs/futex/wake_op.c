// One thread waits on `word`, another on `other`. One call changes `other` and wakes at both: who waits on
// `word` in any case, who waits on `other` if the old value passes the test. Then both words become 1, and
// whoever still waits is woken.
// The waiter of `word` joins before the call, between it and the store, or finds the word changed (its order
// with the wake-ups does not count then): 3. The waiter of `other` stands before the call, which writes
// `other`, between it and the store, or after that: 3. The two have nothing in common: 9 in all.
// passes: `other` was 0, becomes 2, and 0 == 0. Its waiter joins only before the call, and is woken by it.
// fails: `other` stays 0, and 0 is not greater than 0. Its waiter joins before or after the call, which does
// not wake it, and is woken later.
//@ revisions: passes fails
//@[passes] cflags: -DCHANGE=FUTEX_OP(FUTEX_OP_SET,2,FUTEX_OP_CMP_EQ,0)
//@[fails] cflags: -DCHANGE=FUTEX_OP(FUTEX_OP_ADD,0,FUTEX_OP_CMP_GT,0)
//@ expect: verified
//@ executions: 9
//@[passes] outcomes: woken=2 here=0 there=0 *1 | woken=1 here=0 there=0 *3 | woken=1 here=1 there=0 *1 | woken=0 here=1 there=0 *2 | woken=0 here=0 there=0 *2
//@[fails] outcomes: woken=1 here=0 there=1 *2 | woken=1 here=0 there=0 *1 | woken=0 here=1 there=1 *2 | woken=0 here=1 there=0 *1 | woken=0 here=0 there=1 *2 | woken=0 here=0 there=0 *1
#include <dpor.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, other;

static void *waiter(void *on) {
    syscall(SYS_futex, on, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    return on;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, waiter, &word);
    pthread_create(&threads[1], 0, waiter, &other);
    long woken = syscall(SYS_futex, &word, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &other, CHANGE);
    word = 1;
    other = 1;
    long here = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
    long there = syscall(SYS_futex, &other, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    dpor_observe("woken", (int)woken);
    dpor_observe("here", (int)here);
    dpor_observe("there", (int)there);
    return 0;
}
