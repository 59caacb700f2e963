// A waiter that answers to bit 1 and one that answers to bit 2; bit 1 is woken, the word changes, both
// are woken. Each waiter joins before the first wake-up, between it and the store, or finds the
// word changed: 3 * 3. The first wake-up takes the one that answers if it is there (first), the
// second one whoever is left (second).
//@ expect: verified
//@ executions: 9
//@ outcomes: first=1 second=1 *2 | first=1 second=0 *1 | first=0 second=2 *2 | first=0 second=1 *3 | first=0 second=0 *1
#include <dpor.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *waiter(void *bits) {
    syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, 0, 0, (uint32_t)(uintptr_t)bits);
    return 0;
}

static int wake(uint32_t bits) {
    return (int)syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, 0, 0, bits);
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, waiter, (void *)1);
    pthread_create(&two, 0, waiter, (void *)2);
    int first = wake(1);
    word = 1;
    int second = wake(3);
    pthread_join(one, 0);
    pthread_join(two, 0);
    dpor_observe("first", first);
    dpor_observe("second", second);
    return 0;
}
