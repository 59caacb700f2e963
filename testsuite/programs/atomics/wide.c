// Atomic accesses to 16 bytes: as one instruction, or as a call of libatomic that the compiler makes of
// them. A load sees all or nothing of a store (2 executions). Of two compare-exchanges one wins (2).
//@ revisions: load load_library exchange exchange_library
//@[load] cflags: -mcx16 -Wno-atomic-alignment
//@[load_library] cflags: -latomic -Wno-atomic-alignment
//@[exchange] cflags: -mcx16 -Wno-atomic-alignment -DEXCHANGE
//@[exchange_library] cflags: -latomic -Wno-atomic-alignment -DEXCHANGE
//@ opt: O0 O2
//@ expect: verified
//@ executions: 2
//@[load] outcomes: low=0 high=0 *1 | low=1 high=1 *1
//@[load_library] outcomes: low=0 high=0 *1 | low=1 high=1 *1
//@[exchange] outcomes: low=1 high=1 *1 | low=2 high=2 *1
//@[exchange_library] outcomes: low=1 high=1 *1 | low=2 high=2 *1
#include <dpor.h>
#include <pthread.h>

static _Alignas(16) __int128 cell;

static __int128 both(long n) { return (__int128)n << 64 | n; }

static void change(long n) {
    __int128 new = both(n), old = 0;
#ifdef EXCHANGE
    __atomic_compare_exchange(&cell, &old, &new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
#else
    (void)old;
    __atomic_store(&cell, &new, __ATOMIC_SEQ_CST);
#endif
}

static void *thread(void *unused) {
    change(1);
    return unused;
}

int main(void) {
    pthread_t created;
    __int128 seen;
    pthread_create(&created, 0, thread, 0);
#ifdef EXCHANGE
    change(2);
    pthread_join(created, 0);
    seen = cell;
#else
    __atomic_load(&cell, &seen, __ATOMIC_SEQ_CST);
    pthread_join(created, 0);
#endif
    dpor_observe("low", (long)seen);
    dpor_observe("high", (long)(seen >> 64));
    return 0;
}
