// A thread waits for a word to change; another changes it and wakes.
// The wait comes before the store (it joins, and the wake-up takes it), or after it (it returns at
// once, and then its order with the wake-up does not count): 2 executions, in both of which the
// waiter sees the message. Nobody waits for ever: comparing and joining are one step.
//@ revisions: private shared bitset assembly
//@[private] cflags: -DFLAG=FUTEX_PRIVATE_FLAG
//@[shared] cflags: -DFLAG=0
//@[bitset] cflags: -DFLAG=FUTEX_PRIVATE_FLAG -DBITS=6
//@[assembly] cflags: -DFLAG=FUTEX_PRIVATE_FLAG -DASSEMBLY
//@ opt: O0 O2
//@ expect: verified
//@ executions: 2
//@ outcomes: slept=0 message=7 *1 | slept=1 message=7 *1
#include <dpor.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int message;

#ifdef ASSEMBLY
__attribute__((noinline, disable_sanitizer_instrumentation))
static long futex(atomic_int *address, int command, int value) {
    long result;
    register long timeout __asm__("r10") = 0;
    __asm__ volatile("syscall" : "=a"(result)
        : "a"(SYS_futex), "D"(address), "S"(command | FLAG), "d"(value), "r"(timeout)
        : "rcx", "r11", "memory");
    return result;
}
#elif defined BITS
static long futex(atomic_int *address, int command, int value) {
    long result = syscall(SYS_futex, address, (command == FUTEX_WAIT ? FUTEX_WAIT_BITSET : FUTEX_WAKE_BITSET) | FLAG,
        value, 0, 0, command == FUTEX_WAIT ? BITS : 2);
    return result == -1 ? -errno : result;
}
#else
static long futex(atomic_int *address, int command, int value) {
    long result = syscall(SYS_futex, address, command | FLAG, value, 0, 0, 0);
    return result == -1 ? -errno : result;
}
#endif

static void *receiver(void *unused) {
    long slept = futex(&word, FUTEX_WAIT, 0);
    if (slept != 0 && slept != -EAGAIN) dpor_observe("error", (int)slept);
    dpor_observe("slept", slept == 0);
    // A wake-up orders nothing by itself: what is read before this load races.
    if (atomic_load_explicit(&word, memory_order_acquire) == 1) dpor_observe("message", message);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, receiver, 0);
    message = 7;
    atomic_store_explicit(&word, 1, memory_order_release);
    futex(&word, FUTEX_WAKE, 1);
    pthread_join(thread, 0);
    return 0;
}
