// Assembly whose text says all: the marks by which programs talk to valgrind leave every register as it was
// and reach no memory; `lock ; incl (%0)` is an atomic read-modify-write where its operand points to.
// marks: no event: the plain increments around it race, in 1 trace. locked: two increments of one counter,
// which conflict: 2 traces, and no race. mixed: main's is a plain one: a race, in whichever order the two
// run; what is plain makes no event: 1 trace. apart: of two counters: 1 trace.
//@ revisions: marks locked mixed apart
//@ opt: O0 O2
//@[marks] cflags: -DMARKS
//@[marks] expect: bug
//@[marks] kind: data-race
//@[marks] executions: 1
//@[locked] expect: verified
//@[locked] executions: 2
//@[mixed] cflags: -DMIXED
//@[mixed] expect: bug
//@[mixed] kind: data-race
//@[mixed] executions: 1
//@[apart] cflags: -DAPART
//@[apart] expect: verified
//@[apart] executions: 1
#include <dpor.h>
#include <pthread.h>

int counter, other;

#ifdef MARKS
static void increment(int *of) {
    long result = 5, requests[6] = {0};
    __asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx,%%rbx"
                     : "=d"(result)
                     : "a"(requests), "0"(result)
                     : "cc", "memory");
    dpor_assert(result == 5);
    ++*of;
}
#else
static void increment(int *of) {
    __asm__ __volatile__("lock ; incl (%0)" : : "r"(of) : "memory", "cc");
}
#endif

static void *work(void *of) {
    increment(of);
    return 0;
}

int main(void) {
    pthread_t thread;
#ifdef APART
    pthread_create(&thread, 0, work, &other);
#else
    pthread_create(&thread, 0, work, &counter);
#endif
#ifdef MIXED
    ++counter;
#else
    increment(&counter);
#endif
    pthread_join(thread, 0);
    dpor_assert(counter + other == 2);
    return 0;
}
