// Loops that race at each of 300,000 bytes: each two places of the source are one finding, whatever the number of bytes,
// and the report shows the first one. To note a race takes about a microsecond; each by itself took ten.
//@ revisions: beside freed several
//@ opt: O1
//@ args: -k
//@ golden: yes
//@ seconds: 20
//@ expect: bug
//@ kind: data-race
//@[beside] cflags: -DBESIDE
//@[freed] cflags: -DFREED
//@[several] cflags: -DSEVERAL
#include <pthread.h>
#include <stdlib.h>

enum { BYTES = 300000 };

static unsigned char *array;

// Each byte depends on the one before it, so that no compiler makes fewer accesses of it.
__attribute__((noinline)) static void fill(unsigned char *from, unsigned char *end) {
    for (from[0] += 1; ++from < end;)
        *from = (unsigned char)(from[-1] * 5 + 1);
}

// Of three bytes two are read and one is written: two findings with one place.
__attribute__((noinline)) static unsigned mixed(unsigned char *from, unsigned char *end) {
    unsigned sum = 0;
    for (; from + 3 <= end; from += 3) {
        sum = sum * 3 + from[0];
        from[1] = (unsigned char)sum;
        sum ^= from[2];
    }
    return sum;
}

static void *compute(void *unused) {
    fill(array, array + BYTES);
    return unused;
}

int main(void) {
    pthread_t thread;
    unsigned sum = 0;
    array = calloc(BYTES, 1);
    pthread_create(&thread, 0, compute, 0);
#if BESIDE
    fill(array, array + BYTES);
#elif FREED
    free(array);
#elif SEVERAL
    sum = mixed(array, array + BYTES);
#endif
    pthread_join(thread, 0);
    return sum == 12345;
}
