// A load in inline assembly is a load: a loop around it waits, and who reads it sees what was written before (data).
// Without optimization the load is in a function: the store comes before the first look, 1 execution, or behind it, and
// that turn is the last thing that its thread does: 1 is blocked. With it the load itself waits: 1.
// Counted by brute force, too: testsuite/tests/suite/waiting_for_others.rs.
// [other] What is more than one load is an access of its own, of which nobody knows whether it writes: the loop goes
// round without end.
//@ revisions: load built other
//@ args: --reductions=none
//@[load] expect: verified
//@[load] executions: 1
//@[load] blocked: 1
//@[load] opt: O0
//@[built] expect: verified
//@[built] executions: 1
//@[built] opt: O1 O2
//@[other] cflags: -DOTHER
//@[other] expect: incomplete
//@[other] opt: O0 O2
//@[other] args: --max-executions=100 --max-events=100
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef OTHER
#define TEXT "movl %1, %0; nop"
#else
#define TEXT "movl %1, %0"
#endif

static int flag;
static int data;

static int look(const int *at) {
    int found;
    __asm__ __volatile__(TEXT : "=q"(found) : "m"(*at) : "memory");
    return found;
}

static void *writer(void *unused) {
    data = 1;
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    while (!look(&flag))
        ;
    int seen = data;
    pthread_join(thread, NULL);
    return seen != 1;
}
