// As conditional_load.c, under a condition that holds: the value is used, and the race is the program's, on whichever
// line the load is.
//@ options: --races=c11 --plain=explore
//@ verdict: same
//@ both: data-race data
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
    int running = atomic_exchange(&stop, 1) == 0;
    int seen = 0;
    if (running)
        seen = data;
    pthread_join(thread, 0);
    dpor_observe("seen", seen);
    return 0;
}
