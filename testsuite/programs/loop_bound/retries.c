// Two threads try to get in, each as often as it takes; nothing says how often that is. With a bound the executions in
// which neither goes round more often are all explored, and the others are cut. Counted by brute force:
// testsuite/tests/suite/waiting.rs.
//@ expect: incomplete
//@ revisions: one two three
//@[one] args: --loop-bound=1
//@[one] executions: 10
//@[one] bound-exceeded: 27
//@[two] args: --loop-bound=2
//@[two] executions: 68
//@[two] bound-exceeded: 193
//@[three] args: --loop-bound=3
//@[three] executions: 530
//@[three] bound-exceeded: 1501
//@ args: --reductions=none
//@ reason: retries.c:29 cut at
//@ opt: O0
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int want[N];
int shared;

static void *run(void *argument) {
    int me = (int)((atomic_int *)argument - want);
    for (int tries = 1;; tries++) {
        atomic_store(&want[me], tries);
        if (!atomic_load(&want[1 - me])) break;
        atomic_store(&want[me], 0);
    }
    shared++;
    atomic_store(&want[me], 0);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, run, &want[i]);
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    return shared != N;
}
