// A wait with a time-out that somebody ends in time is one without (2 executions, as in message.c).
// One that nobody ends, because the wake-up came first, times out: 2 orders of the wait and the wake-up.
//@ args: --timeouts=none
//@ revisions: relative absolute expires
//@[relative] cflags: -DCOMMAND=FUTEX_WAIT_PRIVATE
//@[absolute] cflags: -DCOMMAND=FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME
//@[expires] cflags: -DCOMMAND=FUTEX_WAIT_PRIVATE -DEXPIRES
//@[relative] expect: verified
//@[absolute] expect: verified
//@[expires] expect: verified
//@[expires] executions: 2
//@[relative] executions: 2
//@[absolute] executions: 2
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;

static void *waiter(void *unused) {
    struct timespec time = {4000000000, 0};
    syscall(SYS_futex, &word, COMMAND, 0, &time, 0, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
#ifndef EXPIRES
    word = 1;
#endif
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    pthread_join(thread, 0);
    return 0;
}
