// A loop is counted anew each time it is entered: the inner one goes back 3 times, the last time to find that it is
// over. The other thread's store comes before or after any of the 9 additions. Where the loop may go back 2 times there
// are 3 additions, and the thread is cut in each of the 4 executions. Not counted are loops without events, and those
// that count to a number that stays, as the outer one and those over the threads.
//@ revisions: enough few
//@[enough] expect: verified
//@[enough] args: --loop-bound=3
//@[enough] executions: 10
//@[few] expect: incomplete
//@[few] args: --loop-bound=2
//@[few] executions: 0
//@[few] bound-exceeded: 4
//@[few] reason: nested.c:28 cut at 2 iterations, in 4 executions
//@ args: --reductions=none
//@ opt: O0
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 3 };

atomic_int cell, turns = N;

static void *nested(void *unused) {
    int sum = 0;
    for (int i = 0; i < 1000; i++) sum += i;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < atomic_load(&turns); j++) atomic_fetch_add(&cell, sum != 0);
    }
    return unused;
}

static void *once(void *unused) {
    atomic_store(&cell, 100);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, nested, NULL);
    pthread_create(&b, NULL, once, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
