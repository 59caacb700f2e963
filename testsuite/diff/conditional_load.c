// A load that runs only under a condition that never holds. Without dpor the optimizer makes it ahead of the
// condition and selects, which would race with the store. The pass keeps loads where they are.
//@ options: --races=c11
//@ verdict: same
//@ ir: main: load i32, ptr @data: 1
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
