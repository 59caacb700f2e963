// A server goes round for ever and takes back what it did. Main returns: that ends the process, which waits for nobody,
// so there is no livelock.
//
// none: main does not look, so that the server has no events at all; 1 execution. looks: main sees the 0 of the beginning, the 1, or the 0 after it; what it could
// see in later turns of the server is the same again: 3 executions. twice: main looks twice, and the server's turn after
// the first look may be another one than that in which it fell; all four pairs can be seen.
//@ revisions: none looks twice
//@[none] cflags: -DLOOKS=0
//@[none] args: --step-limit=0.2
//@[none] executions: 1
//@[looks] cflags: -DLOOKS=1
//@[looks] executions: 3
//@[twice] cflags: -DLOOKS=2
//@[none] outcomes: last=0
//@[looks] outcomes: last=0 | last=1
//@[twice] outcomes: last=0 | last=1 | last=2 | last=3
//@ opt: O0 O2
//@ expect: verified
//@ kind: main-exits-early
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int busy;

static void *serve(void *unused) {
    for (;;) {
        atomic_store(&busy, 1);
        atomic_store(&busy, 0);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    int last = 0;
    pthread_create(&thread, 0, serve, 0);
    pthread_detach(thread);
    for (int i = 0; i < LOOKS; i++) {
        last = 2 * last + atomic_load(&busy);
    }
    dpor_observe("last", last);
    return 0; //~ main-exits-early
}
