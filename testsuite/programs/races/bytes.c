// Neighbours in one word. Different bytes are different memory locations: clean. Bit-fields without
// a separator are one location (C11 3.14): a race, although no bit is shared.
//@ revisions: bytes bits separated
//@[bytes] cflags: -DSEPARATOR= -DWIDTH=
//@[bytes] expect: verified
//@[bytes] executions: 1
//@[bits] cflags: -DSEPARATOR= -DWIDTH=:4
//@[bits] expect: bug
//@[bits] kind: data-race
//@[separated] cflags: -DSEPARATOR=unsigned:0; -DWIDTH=:4
//@[separated] expect: verified
//@[separated] executions: 1
#include <pthread.h>

struct {
    unsigned char left WIDTH;
    SEPARATOR
    unsigned char right WIDTH;
} pair;

static void *left(void *unused) {
    pair.left = 1;
    return unused;
}

static void *right(void *unused) {
    pair.right = 2;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return pair.left + pair.right == 3 ? 0 : 1;
}
