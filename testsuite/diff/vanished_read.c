// A read whose value nobody uses races at -O0; at -O2 there is no read.
// What else happens at -O0 is not known where accesses race, but at -O2 nothing races: all is known.
//@ options: --races=c11
//@ verdict: different
//@ hidden: data-race data 10 14
//@ change: vanished read data 14
//@ ir: main: load i32, ptr @data: 0
#include <pthread.h>
int data;
static void *change(void *unused) { data = 1; return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    int unused = data;
    (void)unused;
    pthread_join(thread, 0);
    return 0;
}
