// A thread waits for a flag, and does something in the loop that changes nothing: it lets others go first, or orders its
// accesses. So the look waits for the one store: 1 execution.
// [helper] The hint is given by a function that returns what another returns, as in libstdc++. Without optimization the
// loop is one that looks at several places: the store comes before its first look, 1 execution, or after it, and the
// thread goes no further, 1 blocked; with it the functions are inlined, and there is 1.
// Counted by brute force, too: testsuite/tests/suite/waiting_for_others.rs.
// [twice] The hint's result is looked at: sched_yield returns 0.
//@ expect: verified
//@ args: --reductions=none
//@ revisions: yields mfence locked fence helper inlined twice
//@[yields] cflags: -DREST=dpor_yield()
//@[yields] executions: 1
//@[yields] opt: O0 O2
//@[mfence] cflags: -DMFENCE
//@[mfence] executions: 1
//@[mfence] opt: O0 O2
//@[locked] cflags: -DLOCKED
//@[locked] executions: 1
//@[locked] opt: O0 O1
//@[fence] cflags: -DREST=atomic_thread_fence(memory_order_acquire)
//@[fence] executions: 1
//@[fence] opt: O0 O2
//@[helper] cflags: -DREST=outer()
//@[helper] executions: 1
//@[helper] blocked: 1
//@[helper] opt: O0
//@[inlined] cflags: -DREST=outer()
//@[inlined] executions: 1
//@[inlined] opt: O1 O2
//@[twice] cflags: -DTWICE
//@[twice] executions: 1
//@[twice] opt: O0 O2
#include <dpor.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#if defined(MFENCE)
#define REST __asm__ __volatile__("mfence" ::: "memory")
#elif defined(LOCKED)
#define REST __asm__ __volatile__("lock; addl $0, (%%rsp)" ::: "memory", "cc")
#elif defined(TWICE)
#define REST \
    int result = sched_yield(); \
    (void)result
#endif

static atomic_int flag;
static int data;

static int inner(void) { return sched_yield(); }

static void outer(void) { inner(); }

static void *writer(void *unused) {
    data = 1;
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    (void)outer;
    pthread_create(&thread, NULL, writer, NULL);
    while (!atomic_load(&flag)) {
        REST;
    }
    int seen = data;
    pthread_join(thread, NULL);
    return seen != 1;
}
