// Two threads load and store a counter: an update is lost unless one thread does both before the other begins.
// Classes by what the loads read: both 0 (the stores in two orders, of which nobody sees more than the last value: with
// observers they are two, as main reads which came last), 0 and 1, 1 and 0.
//@ expect: verified
//@ outcomes: counter=1 | counter=2
//@ dfs: same-outcomes
//@ opt: O0 O2
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int counter;
static void *add(void *unused) {
    int seen = atomic_load(&counter);
    atomic_store(&counter, seen + 1);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("counter", counter);
    return 0;
}
