// Loops that leave something behind do not only wait: how often they went round, what they found first.
// A store of 1, and looks at it. Counted: of at most two looks the first, the second or none finds it. First: the first look finds
// it, or not and then the loop waits. Last: the value found in vain is kept, 0 or none; only the optimizer knows that it is always
// the same.
//@ revisions: counted first last
//@ expect: verified
//@[counted] opt: O0 O2
//@[first] opt: O0 O2
//@[counted] cflags: -DCOUNTED
//@[counted] executions: 3
//@[counted] outcomes: n=0 | n=1 | n=2
//@[first] cflags: -DFIRST
//@[first] executions: 2
//@[first] outcomes: n=0 | n=1
//@[last] cflags: -DLAST
//@[last] outcomes: n=0 | n=9
//@[last] executions: 2
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag;

static void *look(void *unused) {
    int n = 0;
#if defined COUNTED
    while (n < 2 && !atomic_load(&flag)) n++;
#elif defined FIRST
    n = atomic_load(&flag);
    if (!n) {
        while (!atomic_load(&flag)) {
        }
    }
#else
    n = 9;
    int found = atomic_load(&flag);
    if (!found) {
        n = found;
        while (!(found = atomic_load(&flag))) n = found;
    }
#endif
    dpor_observe("n", n);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
