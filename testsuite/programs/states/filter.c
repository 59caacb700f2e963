// The filter lock (Peterson's for three threads), for ever. [short] One level too few.
//@ revisions: right short
//@ args: --states
//@ opt: O2
//@ seconds: 120
//@[right] expect: verified
//@[short] cflags: -DLEVELS=1
//@[short] expect: bug
//@[short] kind: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3
#ifndef LEVELS
#define LEVELS (THREADS - 1)
#endif

static atomic_int level[THREADS], last[THREADS], inside;

static int is_somebody_ahead(int me, int at) {
    for (int other = 0; other < THREADS; other++)
        if (other != me && atomic_load(&level[other]) >= at) return 1;
    return 0;
}

static void *work(void *number) {
    int me = (int)(long)number;
    for (;;) {
        for (int at = 1; at <= LEVELS; at++) {
            atomic_store(&level[me], at);
            atomic_store(&last[at], me);
            while (is_somebody_ahead(me, at) && atomic_load(&last[at]) == me) {
            }
        }
        assert(atomic_fetch_add(&inside, 1) == 0); //~[short] assertion
        atomic_fetch_sub(&inside, 1);
        atomic_store(&level[me], 0);
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long n = 1; n < THREADS; n++) pthread_create(&threads[n], 0, work, (void *)n);
    work(0);
    return 0;
}
