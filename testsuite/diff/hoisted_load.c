// A load in a loop, under a condition that never holds. The optimizer makes it once, ahead of the loop.
//@ options: --races=c11
//@ verdict: same
//@ introduced: speculated-load data 0 15
//@ change: moved read data 22 -> 0
//@ ir: add_some: __dpor_read_ahead: 1
#include <dpor.h>
#include <pthread.h>
int data;
#ifndef SET
#define SET 0
#endif
int which[64];
static void *change(void *unused) {
    data = 1;
    return unused;
}
static __attribute__((noinline)) int add_some(const int *which, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        if (which[i])
            sum += data;
    return sum;
}
int main(void) {
    pthread_t thread;
    which[63] = SET;
    pthread_create(&thread, 0, change, 0);
    int sum = add_some(which, 64);
    pthread_join(thread, 0);
    dpor_observe("sum", sum);
    return 0;
}
