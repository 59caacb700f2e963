// An acquire learns of the releases that came before it, and nobody makes it wait for one.
//
// acquire: a release R and an acquire A of one address conflict, two executions. In the one with A first, the write
// and the read are not ordered. releases: those of two threads conflict, too, and both come before main's acquire
// after the joins: two executions, and no race.
//@ revisions: acquire releases
//@ opt: O0 O2
//@ args: -k
//@[acquire] expect: bug
//@[acquire] kind: data-race
//@[acquire] executions: 2
//@[releases] expect: verified
//@[releases] cflags: -DRELEASES
//@[releases] executions: 2
#include <dpor.h>
#include <pthread.h>

static int data[2];

static void *write_it(void *place) {
    *(int *)place = 1;
    dpor_release(data);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, write_it, &data[0]);
#ifdef RELEASES
    pthread_t b;
    pthread_create(&b, 0, write_it, &data[1]);
    pthread_join(b, 0);
    pthread_join(a, 0);
#endif
    dpor_acquire(data);
    int sum = data[0];
#ifndef RELEASES
    pthread_join(a, 0);
#endif
    return sum > 1;
}
