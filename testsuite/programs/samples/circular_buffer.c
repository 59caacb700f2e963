// A ring of two places. The producer takes it to be full one item too late: if the consumer has not taken
// anything before the third item, the first is overwritten.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { PLACES = 2, ITEMS = 3 };

static _Atomic int ring[PLACES];
static _Atomic int put, taken;

static void *produce(void *unused) {
    for (int item = 1; item <= ITEMS; item++) {
        if (put - taken > PLACES)
            break;
        ring[put % PLACES] = item;
        put++;
    }
    return unused;
}

static void *consume(void *unused) {
    for (int item = 1; item <= ITEMS; item++) {
        if (put == taken)
            break;
        assert(ring[taken % PLACES] == item);
        taken++;
    }
    return unused;
}

int main(void) {
    pthread_t producer, consumer;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, 0);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
}
