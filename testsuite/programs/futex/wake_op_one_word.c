// Both addresses of the call are one: of three waiters it wakes one, and one more. Then the word changes, and
// whoever still waits is woken.
// Each waiter stands before the call, between it and the store, or finds the word changed. k of them before
// the call: 0: 2 * 2 * 2. 1: which (3), and 2 * 2 for the others. 2: which (3), both are woken, 2 for the
// other. 3: which of them are woken (3). 8 + 12 + 6 + 3 = 29.
// woken = min(k, 2); here: those that joined before the store, without them. With k = 2 and the third before
// the store (3) and with k = 3 (3) one is left.
//@ expect: verified
//@ executions: 29
//@ outcomes: woken=0 here=0 *1 | woken=0 here=1 *3 | woken=0 here=2 *3 | woken=0 here=3 *1 | woken=1 here=0 *3 | woken=1 here=1 *6 | woken=1 here=2 *3 | woken=2 here=0 *3 | woken=2 here=1 *6
#include <dpor.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *waiter(void *unused) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, waiter, 0);
    int nothing = FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0);
    long woken = syscall(SYS_futex, &word, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &word, nothing);
    word = 1;
    long here = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    dpor_observe("woken", (int)woken);
    dpor_observe("here", (int)here);
    return 0;
}
