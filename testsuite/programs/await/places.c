// A loop that looks at two places and ends whatever it finds between: it waits for b to be 2 or 3, and finds both. All
// looks at a are equivalent, for it does not change while the thread is there. The first look at b finds 2 or 3, and the
// loop ends: 2 executions; or it finds 1, and the thread goes no further: 1 is blocked.
// [every_turn] After a look that finds 1 the thread waits for a or b. The wait comes before or after b is 3; in the first
// case the look at b finds 2 or 3, in the second 3: 2 + 3 = 5.
// Counted by brute force, too: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ revisions: left every_turn
//@[left] executions: 2
//@[left] blocked: 1
//@[every_turn] executions: 5
//@[every_turn] args: --reductions=none,every-turn
//@ opt: O0 O1 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
atomic_int a, b;

static void *work(void *u) {
    while (atomic_load(&a) && atomic_load(&b) < 2) {
    }
    return u;
}

int main(void) {
    pthread_t t;
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    pthread_create(&t, NULL, work, NULL);
    atomic_store(&b, 2);
    atomic_store(&b, 3);
    pthread_join(t, NULL);
}
