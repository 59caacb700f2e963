// The kernel reads the word as an atomic load does: a plain store to it that nothing orders with the
// wait is a race.
//@ expect: bug
//@ kind: data-race
//@ args: -k
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

static void *waiter(void *unused) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0); //~ race
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    word = 1; //~ race
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    pthread_join(thread, 0);
    return 0;
}
