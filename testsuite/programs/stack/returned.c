// A thread uses a variable of the function that created it. The function has returned by then, unless it waits for the
// thread; its caller joins it, so the program itself ends well. Another function has its frame there meanwhile, and
// does not write to the variable's place: there is no second write that the thread could race with.
//
// The thread accesses the variable and no more: nothing but the join orders it, and 1 execution stands for all. In it
// nothing orders the access and the return.
// waits: the function joins the thread, which ends before the return. again: the same twice, each time with the
// variable in the same place. posts: the thread posts a semaphore behind its access, for which the function waits: post
// and wait have one order. early: it posts in front of its access. flag: the same with an atomic flag that the function
// reads until it is set, and relaxed: with a flag that orders nothing. The function waits as long as the flag is not
// set (an await), so all executions have the one order of store and load.
// locked: the function waits under a mutex for what the thread sets under it: either the function comes first and
// waits, or it finds it set. 2 executions.
// later: the thread is told where the variable is by a semaphore, behind the return; that is one order as well.
//@ revisions: returned waits again posts early flag relaxed locked later
//@ opt: O0 O1 O2
//@ args: -k
//@ executions: 1
//@[returned] expect: bug
//@[returned] kind: use-after-return
//@[returned] message: use of a local variable of lend, whose life may have ended
//@[returned] message: nothing orders the use before it
//@[waits] cflags: -DWAITS
//@[waits] expect: verified
//@[again] cflags: -DWAITS -DAGAIN
//@[again] expect: verified
//@[posts] cflags: -DPOSTS=1
//@[posts] expect: verified
//@[early] cflags: -DPOSTS=0
//@[early] expect: bug
//@[early] kind: use-after-return
//@[flag] cflags: -DFLAG=memory_order_release
//@[flag] expect: verified
//@[relaxed] cflags: -DFLAG=memory_order_relaxed
//@[relaxed] expect: bug
//@[relaxed] kind: use-after-return
//@[locked] cflags: -DLOCKED
//@[locked] expect: verified
//@[locked] executions: 2
//@[later] cflags: -DLATER
//@[later] expect: bug
//@[later] kind: use-after-return
//@[later] message: use of a local variable of lend, whose life has ended
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_t borrower;
static sem_t posted;
static atomic_int flag;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int set;
static int *lent;

static void *borrow(void *variable) {
#ifdef LATER
    sem_wait(&posted);
    variable = lent;
#endif
#if defined POSTS && !POSTS
    sem_post(&posted);
#endif
    int value = *(int *)variable; //~[returned] use-after-return
#if defined POSTS && POSTS
    sem_post(&posted);
#endif
#ifdef FLAG
    atomic_store_explicit(&flag, 1, FLAG);
#endif
#ifdef LOCKED
    pthread_mutex_lock(&lock);
    set = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
#endif
    return value == 41 ? variable : 0;
}

__attribute__((noinline)) static void lend(int value) {
    int variable = value;
    lent = &variable;
    pthread_create(&borrower, 0, borrow, &variable);
#ifdef WAITS
    pthread_join(borrower, 0);
#endif
#ifdef POSTS
    sem_wait(&posted);
#endif
#ifdef FLAG
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
#endif
#ifdef LOCKED
    pthread_mutex_lock(&lock);
    while (!set)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
#endif
}

__attribute__((noinline)) static int other(int value) {
    volatile int unused[16];
    unused[3] = value;
    return unused[3];
}

int main(void) {
    sem_init(&posted, 0, 0);
    lend(41);
#ifdef AGAIN
    lend(41);
#endif
    other(7);
#ifdef LATER
    sem_post(&posted);
#endif
#ifndef WAITS
    pthread_join(borrower, 0);
#endif
    sem_destroy(&posted);
    return 0;
}
