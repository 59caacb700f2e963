// A loop that waits until a counter has its last value, and gives up on an impossible one, beside a thread that counts.
// A look in vain is the last thing that its thread does in the execution: 1 execution in which the look comes
// behind the last store, and one each, blocked, with a look that finds 0, 1, 2, 3 or 4: by hand. With `every-turn` the
// thread waits after such a look until the counter changes: of the five looks in vain each may be there or not: 32.
//@ expect: verified
//@ revisions: left waited
//@ opt: O0 O2
//@[left] executions: 1
//@[left] blocked: 5
//@[waited] args: --reductions=none,every-turn
//@[waited] executions: 32
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LAST = 5 };

static atomic_int counter;

static void *count(void *unused) {
    for (int i = 1; i <= LAST; i++) {
        atomic_store(&counter, i);
    }
    return unused;
}

static void *wait(void *unused) {
    for (;;) {
        int found = atomic_load(&counter);
        if (found == LAST) break;
        if (found < 0) abort();
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, wait, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
