// A spin lock taken twice, given back by another thread, or tried while it is held.
//@ revisions: twice other try
//@[twice] cflags: -DTWICE
//@[twice] expect: bug
//@[twice] kind: self-deadlock
//@[twice] executions: 0
//@[twice] deadlocked: 1
//@[other] cflags: -DOTHER
//@[other] expect: bug
//@[other] kind: unlock-not-owner
//@[other] executions: 0
//@[other] failed: 1
// The attempt comes while main holds the lock, or after.
//@[try] cflags: -DTRY
//@[try] expect: verified
//@[try] executions: 2
//@[try] outcomes: result=0 *1 | result=16 *1
#include <dpor.h>
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t lock;

static void *misuse(void *unused) {
#ifdef TWICE
    pthread_spin_lock(&lock);
    pthread_spin_lock(&lock); //~[twice] self-deadlock
#elif defined OTHER
    pthread_spin_unlock(&lock); //~[other] unlock-not-owner
#else
    int result = pthread_spin_trylock(&lock);
    dpor_observe("result", result);
    if (result == 0) pthread_spin_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#ifndef TWICE
    pthread_spin_lock(&lock);
#endif
    pthread_create(&thread, NULL, misuse, NULL);
#ifdef TRY
    pthread_spin_unlock(&lock);
#endif
    pthread_join(thread, NULL);
    pthread_spin_destroy(&lock);
    return 0;
}
