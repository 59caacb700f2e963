// Functions whose variables another thread uses are left by a jump: nothing tells of their ends. What lies below all
// frames of a suspended thread is dead all the same. The semaphores leave one order: 1 execution.
//
// left: the thread uses the variable behind the jump. deeper: meanwhile another function has its frame there, whose own
// variable a second thread uses: that begins where the first thread accessed memory, with nothing between.
// waits: the thread is done before the jump.
//@ revisions: left waits deeper
//@ opt: O0 O1 O2
//@ args: -k
//@ executions: 1
//@[left] expect: bug
//@[left] kind: use-after-return
//@[left] message: use of the stack of thread 0, whose frame has ended
//@[waits] cflags: -DWAITS
//@[waits] expect: verified
//@[deeper] cflags: -DWAITS -DDEEPER
//@[deeper] expect: verified
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>

static pthread_t borrower;
static sem_t left, done;
static jmp_buf back;

static void *borrow(void *variable) {
    sem_wait(&left);
    int value = *(int *)variable; //~[left] use-after-return
    sem_post(&done);
    return value == 41 ? variable : 0;
}

__attribute__((noinline)) static void lend(int value) {
    int variables[64];
    variables[0] = value;
    pthread_create(&borrower, 0, borrow, variables);
#ifdef WAITS
    sem_post(&left);
    sem_wait(&done);
#endif
    longjmp(back, 1);
}

__attribute__((noinline)) static void deep(int value) {
    int unused[1 << 14];
    unused[0] = value;
    __asm__ volatile("" : : "r"(unused) : "memory");
    if (!setjmp(back))
        lend(unused[0]);
}

int main(void) {
    sem_init(&left, 0, 0);
    sem_init(&done, 0, 0);
    deep(41);
#ifndef WAITS
    sem_post(&left);
#endif
    pthread_join(borrower, 0);
#ifdef DEEPER
    deep(42);
    pthread_join(borrower, 0);
#endif
    sem_destroy(&left);
    sem_destroy(&done);
    return 0;
}
