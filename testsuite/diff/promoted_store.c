// A store in a loop, which becomes one store behind it.
// -O0: whoever looks sees 0, 1, 2 or 3.
// -O2: count is loaded once, 3 is added, the sum is stored: 0 or 3.
//@ options: --plain=explore --races=off
//@ verdict: different
//@ hidden: outcome-difference seen=1
//@ hidden: outcome-difference seen=2
//@ change: moved read count 16 -> 0
//@ ir: add: store i32: 1
//@ ir: add: add i32: 1
#include <dpor.h>
#include <pthread.h>
int count;
static void *add(void *unused) {
    for (int i = 0; i < 3; i++)
        count++;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    int seen = count;
    pthread_join(thread, 0);
    dpor_observe("seen", seen);
    return 0;
}
