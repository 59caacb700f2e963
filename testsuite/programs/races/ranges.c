// memcpy and memset are accesses to every byte of their ranges. Ranges that only touch are clean.
//@ revisions: overlap touch
//@[overlap] cflags: -DFROM=15
//@[overlap] expect: bug
//@[overlap] kind: data-race
//@[touch] cflags: -DFROM=16
//@[touch] expect: verified
//@[touch] executions: 1
#include <pthread.h>
#include <string.h>

char block[32], copy[16];

static void *fill(void *unused) {
    memset(block, 1, 16);
    return unused;
}

static void *read_on(void *unused) {
    memcpy(copy, block + FROM, 16);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, fill, 0);
    pthread_create(&b, 0, read_on, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
