// A lock of readers and writers that prefers writers, two writers and a reader for ever: the data is whole wherever it
// is read, and a reader that waits is passed by writers for ever. [fair] Readers and writers draw tickets from one
// counter, and everybody's turn comes. Its counters go up by 64 in eight bits, so that they come back after four.
// [early] A writer does not wait for readers.
//@ revisions: right starves fair early
//@ opt: O2
//@[right] args: --states
//@[right] expect: verified
//@[starves] args: --no-starvation
//@[starves] expect: bug
//@[starves] kind: starvation
//@[starves] message: for ever
//@[fair] cflags: -DFAIR
//@[fair] args: --no-starvation
//@[fair] expect: verified
//@[early] args: --states
//@[early] cflags: -DEARLY
//@[early] expect: bug
//@[early] kind: data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FAIR

/* Whose ticket `may_read` shows may read, and lets the next in; whose ticket `may_write` shows is alone. */
#define NEXT 64

static _Atomic unsigned char tickets, may_read, may_write;

static void read_lock(void) {
    unsigned char mine = atomic_fetch_add(&tickets, NEXT);
    while (atomic_load(&may_read) != mine) {
    }
    atomic_fetch_add(&may_read, NEXT);
}

static void read_unlock(void) { atomic_fetch_add(&may_write, NEXT); }

static void write_lock(void) {
    unsigned char mine = atomic_fetch_add(&tickets, NEXT);
    while (atomic_load(&may_write) != mine) {
    }
}

static void write_unlock(void) {
    atomic_fetch_add(&may_read, NEXT);
    atomic_fetch_add(&may_write, NEXT);
}

#else

static atomic_int writers, readers;
/* Of two writers each draws 0 or 1, in turns. */
static atomic_int tickets, served;

static void read_lock(void) {
    for (;;) {
        atomic_fetch_add(&readers, 1);
        if (!atomic_load(&writers)) return;
        atomic_fetch_sub(&readers, 1);
        while (atomic_load(&writers)) {
        }
    }
}

static void read_unlock(void) { atomic_fetch_sub(&readers, 1); }

static void write_lock(void) {
    atomic_fetch_add(&writers, 1);
    int mine = atomic_fetch_xor(&tickets, 1);
    while (atomic_load(&served) != mine) {
    }
#ifndef EARLY
    while (atomic_load(&readers)) {
    }
#endif
}

static void write_unlock(void) {
    atomic_fetch_xor(&served, 1);
    atomic_fetch_sub(&writers, 1);
}

#endif

static int data[2];

static void *write_data(void *unused) {
    for (;;) {
        write_lock();
        data[0] ^= 1;
        data[1] ^= 1;
        write_unlock();
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, write_data, 0);
    pthread_create(&thread, 0, write_data, 0);
    for (;;) {
        read_lock();
        assert(data[0] == data[1]);
        read_unlock();
    }
}
