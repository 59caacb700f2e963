// A program with two threads, run by itself, explores: in one order it returns 1, so exit code 42.
// With off=1 (and built so that only the good order exists) it runs with real threads and returns 0.
//@ revisions: itself off
//@[itself] mode: alone
//@[itself] exit: 42
//@[off] mode: off
//@[off] exit: 0
//@[off] cflags: -DNATIVE
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
int seen;

static void *reader(void *unused) {
    seen = atomic_load(&x);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
#ifdef NATIVE
    pthread_join(thread, 0);
#endif
    atomic_store(&x, 1);
    pthread_join(thread, 0);
    return seen == 0 ? 0 : 1;
}
