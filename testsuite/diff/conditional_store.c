// A store behind a condition, and one before it to the same variable.
// -O0: the level is 5 for a moment. -O2: a select chooses 5 or 9, and one store without condition writes it.
//@ options: --plain=explore --races=off
//@ verdict: different
//@ hidden: outcome-difference seen=5
//@ change: merged write level 16 18 -> 0
//@ ir: set: store i32: 1
//@ ir: set: select i1: 1
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
int level;
atomic_int wanted;
static void *set(void *unused) {
    int high = atomic_load_explicit(&wanted, memory_order_relaxed);
    level = 5;
    if (high)
        level = 9;
    return unused;
}
int main(void) {
    wanted = 1;
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    int seen = level;
    pthread_join(thread, 0);
    dpor_observe("seen", seen);
    return 0;
}
