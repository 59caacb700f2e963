// The call changes its word as an atomic operation does: a plain read of it that nothing orders with the call
// is a race. Both atomic: none, and the read comes before or after.
//@ revisions: plain atomic
//@[plain] cflags: -DWORD=int
//@[atomic] cflags: -DWORD=atomic_int
//@[plain] expect: bug
//@[plain] kind: data-race
//@[plain] args: -k
//@[atomic] expect: verified
//@[atomic] executions: 2
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static WORD word;
static atomic_int waited;

static void *look(void *unused) {
    return word ? unused : 0; //~[plain] race
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, look, 0);
    int add = FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0);
    syscall(SYS_futex, &waited, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &word, add); //~[plain] race
    pthread_join(thread, 0);
    return 0;
}
