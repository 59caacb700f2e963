// The same where the compiler is told that loops without effects may be endless.
// -O2: nobody stores the flag in the loop, so it is read once, before it. If it was clear then, the loop is
// endless.
//@ options: --plain=explore --races=off --step-limit 0.2
//@ cflags: -g -fno-finite-loops
//@ verdict: different
//@ introduced: endless-loop 20
//@ ir: main: load i32, ptr @flag: 1
#include <dpor.h>
#include <pthread.h>
int data, flag;
static void *set(void *unused) {
    data = 1;
    flag = 1;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    while (!flag)
        ;
    int seen = data;
    pthread_join(thread, 0);
    dpor_observe("seen", seen);
    return 0;
}
