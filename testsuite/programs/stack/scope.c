// A thread uses a variable of an inner scope, whose function goes on: it joins the thread when the scope is over. With
// optimization the compiler says where the variable's life ends; without, it lives as long as its function, which
// waits for the thread. No event but the join: 1 execution.
//
// inside: the join is in the scope. turns: the scope is a loop's, which joins in each turn: the variable of the second
// turn has the place of the first.
//@ revisions: plain scope inside turns
//@ args: -k
//@ executions: 1
//@[plain] opt: O0
//@[plain] expect: verified
//@[scope] opt: O1 O2
//@[scope] expect: bug
//@[scope] kind: use-after-return
//@[scope] message: use of a local variable of lend, whose life may have ended
//@[inside] cflags: -DINSIDE
//@[inside] opt: O0 O1 O2
//@[inside] expect: verified
//@[turns] cflags: -DINSIDE -DTURNS=3
//@[turns] opt: O0 O1 O2
//@[turns] expect: verified
#include <pthread.h>

#ifndef TURNS
#define TURNS 1
#endif

static void *borrow(void *variable) {
    return *(int *)variable == 41 ? variable : 0; //~[scope] use-after-return
}

__attribute__((noinline)) static void other(int *value) {
    __asm__ volatile("" : "+m"(*value));
}

__attribute__((noinline)) static void lend(void) {
    pthread_t borrower;
    for (int turn = 0; turn < TURNS; turn++) {
        int variable = 41;
        pthread_create(&borrower, 0, borrow, &variable);
#ifdef INSIDE
        pthread_join(borrower, 0);
#endif
    }
    int last = 3;
    other(&last);
#ifndef INSIDE
    pthread_join(borrower, 0);
#endif
}

int main(void) {
    lend();
    return 0;
}
