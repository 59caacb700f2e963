// A wake-up orders nothing in the sense of C11: what the waiter reads after it is a race, unless it
// has read the word with acquire and found what was released (message.c).
//@ expect: bug
//@ kind: data-race
//@ args: -k
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int message;

static void *waiter(void *unused) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    return message ? unused : 0; //~ race
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    message = 7; //~ race
    word = 1;
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    pthread_join(thread, 0);
    return 0;
}
