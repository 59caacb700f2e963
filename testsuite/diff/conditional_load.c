// A load that runs only under a condition that never holds. The optimizer makes it ahead of the condition and
// chooses afterwards: the load races with the store, its value is never used, and the program has no race.
//@ options: --races=c11
//@ verdict: same
//@ introduced: speculated-load data 15 23
//@ change: moved read data 24 -> 23
//@ ir: main: __dpor_read_ahead: 1
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int stop;
static void *change(void *unused) {
    if (!atomic_load(&stop))
        data = 1;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    int running = atomic_exchange(&stop, 1) == 7;
    int seen = 0;
    if (running)
        seen = data;
    pthread_join(thread, 0);
    dpor_observe("seen", seen);
    return 0;
}
