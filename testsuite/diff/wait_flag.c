// A loop that waits for a plain flag. C11 6.8.5 lets the compiler assume that a loop without effects ends.
// -O0: what comes behind it sees the data.
// -O2: the loop is deleted, with its read of the flag; data may be read before it is there.
//@ options: --plain=explore --races=off
//@ verdict: different
//@ introduced: outcome-difference seen=0
//@ change: vanished read flag 20
//@ ir: main: load i32, ptr @flag: 0
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
