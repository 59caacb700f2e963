// Four threads meet at a counter. Additions commute: nobody goes on before all have been made, 1 execution. Without
// that their orders count: 4!.
// A thread that waits for two of three additions, of the other three threads: any two of them come before its look (3),
// or all three: 4. Exactly two: 3, or all come first, and it waits for ever.
//@ revisions: all none some exact
//@ opt: O0 O2
//@[all] expect: verified
//@[all] cflags: -DALL
//@[all] args: --reductions=commute,observers
//@[all] executions: 1
//@[none] expect: verified
//@[none] cflags: -DALL
//@[none] executions: 24
//@[some] expect: verified
//@[some] cflags: -DTEST=(n<2)
//@[some] args: --reductions=commute,observers
//@[some] executions: 4
//@[exact] expect: bug
//@[exact] kind: livelock
//@[exact] cflags: -DTEST=(n!=2)
//@[exact] args: --keep-going --reductions=commute
//@[exact] executions: 3
//@[exact] deadlocked: 1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int counter;

#ifdef ALL
static void *work(void *unused) {
    atomic_fetch_add(&counter, 1);
    while (atomic_load(&counter) < 4) {
        __builtin_ia32_pause();
    }
    return unused;
}
#define FIRST work
#else
static void *work(void *unused) {
    atomic_fetch_add(&counter, 1);
    return unused;
}
static void *look(void *unused) {
    int n;
    do {
        n = atomic_load(&counter);
    } while (TEST);
    return unused;
}
#define FIRST look
#endif

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, i ? work : FIRST, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    return 0;
}
