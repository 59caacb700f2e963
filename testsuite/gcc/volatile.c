// A volatile variable is taken for an atomic one: a reader sees 0, 1 or 2. As a plain one it races.
//@ revisions: atomic plain
//@[atomic] expect: verified
//@[atomic] executions: 3
//@[atomic] outcomes: seen=0 | seen=1 | seen=2
//@[atomic] note: 3 volatile accesses are taken for atomic ones
//@[plain] expect: bug
//@[plain] kind: data-race
//@[plain] args: --volatile=plain
//@ opt: O0 O2
#include <dpor.h>
#include <pthread.h>
static volatile int shared;
static void *write(void *unused) {
    shared = 1;
    shared = 2;
    return unused;
}
int main(void) {
    pthread_t writer;
    pthread_create(&writer, 0, write, 0);
    dpor_observe("seen", shared);
    pthread_join(writer, 0);
    return 0;
}
