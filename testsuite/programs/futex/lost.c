// A wake-up that changes no word is lost if it comes before the wait: one execution of the two is
// a deadlock. So it is if the waiter and the waker do not mean the same futex: one that others may
// share is another than the private one at its address, and then every wait is for ever.
//@ revisions: early kinds
//@[early] cflags: -DWAKE=FUTEX_WAKE_PRIVATE
//@[kinds] cflags: -DWAKE=FUTEX_WAKE
//@ expect: bug
//@ kind: deadlock
//@ args: -k
//@[early] executions: 1
//@[early] deadlocked: 1
//@[kinds] executions: 0
//@[kinds] deadlocked: 1
//@ message: for a wake-up
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

static void *waiter(void *unused) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0); //~ deadlock
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    syscall(SYS_futex, &word, WAKE, 1, 0, 0, 0);
    pthread_join(thread, 0);
    return 0;
}
