// A ring buffer of four places between two threads, for ever, messages 0 and 1 in turns. [full] The producer fills the
// last place too, and overwrites what was not read.
//@ revisions: right full
//@ args: --states
//@ opt: O0 O2
//@[right] expect: verified
//@[full] cflags: -DFULL
//@[full] expect: bug
//@[full] kind: data-race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define PLACES 4

static atomic_uint head, tail;
static int places[PLACES];

static void *consume(void *unused) {
    for (unsigned n = 0;; n = (n + 1) % PLACES) {
        while (atomic_load(&head) == n) {
        }
        if (places[n] != (int)(n & 1)) abort();
        atomic_store(&tail, (n + 1) % PLACES);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, consume, 0);
    for (unsigned n = 0;; n = (n + 1) % PLACES) {
#ifndef FULL
        while (atomic_load(&tail) == (n + 1) % PLACES) {
        }
#endif
        places[n] = n & 1;
        atomic_store(&head, (n + 1) % PLACES);
    }
}
