// Two threads wait; a wake-up of one, then the word changes, then a wake-up of all.
// Each thread joins the waiters before the first wake-up, between it and the store, or finds the
// word changed (its order with the second wake-up does not count then). S: those before it.
// S empty: 2 * 2. One: who (2), times where the other is (2). Both: which of them is woken (2).
// 10 in all; first and second are what the wake-ups return.
//@ expect: verified
//@ executions: 10
//@ outcomes: first=0 second=0 *1 | first=0 second=1 *2 | first=0 second=2 *1 | first=1 second=0 *2 | first=1 second=1 *4
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
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, waiter, 0);
    long first = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    word = 1;
    long second = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    dpor_observe("first", (int)first);
    dpor_observe("second", (int)second);
    return 0;
}
