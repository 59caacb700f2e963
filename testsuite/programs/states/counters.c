// Two event counters, one for each way. *wrong*: a second thread counts, too, so that two may be read at once.
//@ revisions: right wrong
//@ args: --states --max-states 100000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: assertion
//@[wrong] cflags: -DWRONG
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int there, back;

static void *count(void *unused) {
    for (;;) {
        uint64_t n = 1;
        write(there, &n, 8);
        read(back, &n, 8);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    there = eventfd(0, 0);
    back = eventfd(0, EFD_SEMAPHORE);
    pthread_create(&thread, 0, count, 0);
#ifdef WRONG
    pthread_create(&thread, 0, count, 0);
#endif
    for (;;) {
        uint64_t n;
        read(there, &n, 8);
        assert(n == 1);
        write(back, &n, 8);
    }
}
