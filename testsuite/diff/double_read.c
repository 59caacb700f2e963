// Two reads of the same variable.
// -O0: another thread may store between them. -O2: one read serves both.
//@ options: --plain=explore --races=off
//@ verdict: different
//@ hidden: outcome-difference again=1 first=0
//@ change: merged read data 15 16 -> 15
//@ ir: main: load i32, ptr @data: 1
#include <dpor.h>
#include <pthread.h>
int data;
static void *change(void *unused) { data = 1; return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    int first = data;
    int again = data;
    pthread_join(thread, 0);
    dpor_observe("first", first);
    dpor_observe("again", again);
    return 0;
}
