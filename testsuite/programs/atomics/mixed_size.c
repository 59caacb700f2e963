// Atomic accesses of different sizes to the same bytes conflict where they overlap, and only there.
// halves: a store of 8 bytes; a load of the upper half and one of the lower: the store comes before,
// between or after them (3).
// whole: stores to the two halves and a load of the whole. Bytes that one access covers are one
// object (docs/decisions/0006), so the stores conflict, too: 3! orders.
// bytes: stores to two bytes of the lower half and a load of the upper half: nothing overlaps (1).
// wide: stores to the two halves of 16 bytes, which are two objects, and a load of both, which comes
// before or after each (2 * 2).
//@ revisions: halves whole bytes wide
//@[halves] cflags: -DHALVES
//@[whole] cflags: -DWHOLE
//@[bytes] cflags: -DBYTES
//@[wide] cflags: -DWIDE -mcx16 -Wno-atomic-alignment
//@ opt: O0 O2
//@ expect: verified
//@[halves] executions: 3
//@[whole] executions: 6
//@[bytes] executions: 1
//@[wide] executions: 4
//@[halves] outcomes: high=0 low=0 *1 | high=0 low=1 *1 | high=1 low=1 *1
//@[whole] outcomes: high=0 low=0 *2 | high=0 low=1 *1 | high=1 low=0 *1 | high=1 low=1 *2
//@[bytes] outcomes: high=0 low=0 *1
//@[wide] outcomes: high=0 low=0 *1 | high=0 low=1 *1 | high=1 low=0 *1 | high=1 low=1 *1
#include <dpor.h>
#include <pthread.h>
#include <stdint.h>

static union {
    unsigned __int128 all;
    uint64_t eight[2];
    uint32_t four[4];
    uint8_t one[16];
} cell;

static void *first(void *unused) {
#if defined HALVES
    __atomic_store_n(&cell.eight[0], (uint64_t)1 << 32 | 1, __ATOMIC_SEQ_CST);
#elif defined WHOLE
    __atomic_store_n(&cell.four[0], 1, __ATOMIC_SEQ_CST);
#elif defined BYTES
    __atomic_store_n(&cell.one[0], 1, __ATOMIC_SEQ_CST);
#else
    __atomic_store_n(&cell.eight[0], 1, __ATOMIC_SEQ_CST);
#endif
    return unused;
}

static void *second(void *unused) {
#if defined WHOLE
    __atomic_store_n(&cell.four[1], 1, __ATOMIC_SEQ_CST);
#elif defined BYTES
    __atomic_store_n(&cell.one[1], 1, __ATOMIC_SEQ_CST);
#elif defined WIDE
    __atomic_store_n(&cell.eight[1], 1, __ATOMIC_SEQ_CST);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    uint64_t high = 0, low = 0;
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
#if defined HALVES
    high = __atomic_load_n(&cell.four[1], __ATOMIC_SEQ_CST);
    low = __atomic_load_n(&cell.four[0], __ATOMIC_SEQ_CST);
#elif defined WHOLE
    uint64_t all = __atomic_load_n(&cell.eight[0], __ATOMIC_SEQ_CST);
    high = all >> 32;
    low = (uint32_t)all;
#elif defined BYTES
    high = __atomic_load_n(&cell.four[1], __ATOMIC_SEQ_CST);
#else
    unsigned __int128 all;
    __atomic_load(&cell.all, &all, __ATOMIC_SEQ_CST);
    high = (uint64_t)(all >> 64);
    low = (uint64_t)all;
#endif
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    dpor_observe("high", (long)high);
    dpor_observe("low", (long)low);
    return 0;
}
