// The only thread waits: nobody will ever wake it. Said, and not waited for.
//@ expect: bug
//@ kind: deadlock
//@ executions: 0
//@ deadlocked: 1
//@ seconds: 20
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

int main(void) {

    if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0) != -1) return 1; // Another value.
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0); //~ deadlock
    return 0;
}
