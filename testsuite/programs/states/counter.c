// Each thread counts its rounds in a variable that nobody reads: at -O0 there are more states than anybody has memory
// for, and at -O2 there is no such variable.
//@ args: --states --max-states=2000
//@ revisions: counted gone
//@[counted] opt: O0
//@[counted] expect: incomplete
//@[counted] reason: max-states: 2000
//@[gone] opt: O2
//@[gone] expect: verified
#include <pthread.h>
#include <stdatomic.h>

static atomic_int bit;

static void *work(void *unused) {
    unsigned rounds = 0;
    for (;;) {
        rounds++;
        atomic_fetch_xor(&bit, 1);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    return 0;
}
