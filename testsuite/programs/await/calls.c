// Functions between a loop and what it looks at, some of them before it in the file and so rewritten before it.
// As in sleeps.c: the store comes before the look of the first turn, 1 execution, or behind it, 1 blocked. The
// optimizer, which puts no function into another here, takes the first look out of the loop: 2, and 1 blocked.
// Counted by brute force, too: testsuite/tests/suite/waiting_for_others.rs.
//@ expect: verified
//@ revisions: plain rotated
//@[plain] executions: 1
//@[plain] blocked: 1
//@[plain] opt: O0
//@[rotated] executions: 2
//@[rotated] blocked: 1
//@[rotated] opt: O2
//@ args: --reductions=none
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#define APART __attribute__((noinline))

atomic_int flag;

APART int look(void) { return atomic_load(&flag); }

APART int look_deeper(void) { return look() + 1; }

APART void rest(void);

static void *writer(void *unused) {
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    while (look_deeper() == 1) rest();
    pthread_join(thread, NULL);
}

APART void rest(void) { usleep(1); }
