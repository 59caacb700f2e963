// A thread that sees the store turns on the processor's alignment check (EFLAGS.AC), which the system leaves
// on in signal handlers. What the checker does then faults, its handlers included: it cannot catch that,
// the process dies. It is started again, dies again at the same step, and then goes on without it.
//
// One trace in which the load comes first; one in which it sees the store, and the thread that stored has
// nothing left to do.
//@ revisions: first all
//@ expect: bug
//@ kind: process-death
//@ message: where the checker cannot catch it
//@[all] args: -k
//@[all] executions: 1
//@[all] failed: 1
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int armed;
char text[64];

static void *arm(void *unused) {
    atomic_store(&armed, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, arm, 0);
    int is_armed = atomic_load(&armed);
    pthread_join(thread, 0);
    if (is_armed) {
        __asm__ volatile("pushfq; orl $0x40000, (%%rsp); popfq" ::: "cc", "memory");
        *(volatile long *)(text + 1) = 1;
    }
    return 0;
}
