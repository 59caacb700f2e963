// A ring between two threads in the manner of ck_ring, for ever: a power of two places, positions that only grow and are
// masked where they are used. They make the states endless, and are named by what made states differ. [narrow] Positions
// of eight bits come back. [masked] So do positions that are masked where they are stored.
// [release] The entry is written after the position that shows it.
//@ revisions: grows narrow masked release
//@ args: --states
//@ opt: O2
//@[grows] args: --max-states=3000
//@[grows] expect: incomplete
//@[grows] reason: max-states: 3000
//@[narrow] cflags: -DPOSITION=char
//@[narrow] expect: verified
//@[masked] cflags: -DKEPT=MASK
//@[masked] expect: verified
//@[release] cflags: -DKEPT=MASK -DRELEASE
//@[release] expect: bug
//@[release] kind: data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef POSITION
#define POSITION int
#endif
#ifndef KEPT
#define KEPT ~0u
#endif

#define SIZE 4
#define MASK (SIZE - 1)

struct ring {
    _Atomic unsigned POSITION consumed, produced;
    int entries[SIZE];
};

static struct ring ring;

static bool enqueue(struct ring *ring, int entry) {
    unsigned POSITION consumed = atomic_load(&ring->consumed), produced = atomic_load(&ring->produced);
    unsigned POSITION next = (produced + 1) & KEPT;
    if ((next & MASK) == (consumed & MASK)) return false;
#ifdef RELEASE
    atomic_store(&ring->produced, next);
    ring->entries[produced & MASK] = entry;
#else
    ring->entries[produced & MASK] = entry;
    atomic_store(&ring->produced, next);
#endif
    return true;
}

static bool dequeue(struct ring *ring, int *entry) {
    unsigned POSITION consumed = atomic_load(&ring->consumed), produced = atomic_load(&ring->produced);
    if (consumed == produced) return false;
    *entry = ring->entries[consumed & MASK];
    atomic_store(&ring->consumed, (consumed + 1) & KEPT);
    return true;
}

static void *consume(void *unused) {
    for (int expected = 0;;) {
        int entry;
        if (!dequeue(&ring, &entry)) continue;
        assert(entry == expected);
        expected ^= 1;
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, consume, 0);
    for (int entry = 0;; entry ^= 1) {
        while (!enqueue(&ring, entry)) {
        }
    }
}
