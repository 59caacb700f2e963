// Two threads free the same block, and nothing orders the two: which one comes second is not a matter of the trace.
// So a double free that is not ordered ends no execution, and the search goes on and is complete.
//
// slot: each thread publishes its block in a section S of the lock, and frees behind it what the slot holds, which
// is the load L. As events S and L of one thread conflict with S of the other; the loads commute. The sections come
// in 2 orders, and the L of the first comes before or behind the S of the second: 4 traces. In 2 of them both
// load the second block, free it twice and leak the first.
// atomic: the same without a lock, with atomic stores and loads: S1 L1 S2 L2, S1 S2 {L1, L2}, and the two with S2
// first: 4 traces, of which 2 free twice.
// loads: both load the one block that main published, and free it: 1 trace.
// grown: one of the two has it grow instead, and frees what it got: 1 trace, and the block is freed by each.
// ordered: each in a section of its own: the second is the second, and ends the execution. 2 traces, both failed.
//@ revisions: slot slot_off atomic loads grown ordered
//@ opt: O0 O1 O2
//@ expect: bug
//@[slot] args: -k --plain=explore --races=warn
//@[slot] cflags: -DSLOT
//@[slot] kind: data-race double-free leak
//@[slot] executions: 4
//@[slot_off] args: -k --plain=explore --races=off
//@[slot_off] cflags: -DSLOT
//@[slot_off] kind: double-free leak
//@[slot_off] executions: 4
//@[atomic] args: -k
//@[atomic] cflags: -DATOMIC
//@[atomic] kind: double-free leak
//@[atomic] message: nothing orders the two
//@[atomic] executions: 4
//@[loads] args: -k
//@[loads] cflags: -DLOADS
//@[loads] kind: double-free
//@[loads] executions: 1
//@[grown] args: -k
//@[grown] cflags: -DLOADS -DGROWN
//@[grown] kind: double-free
//@[grown] executions: 1
//@[ordered] args: -k
//@[ordered] cflags: -DORDERED
//@[ordered] kind: double-free
//@[ordered] executions: 0
//@[ordered] failed: 2
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef SLOT
static char *slot;
static void *work(void *unused) {
    char *mine = malloc(16);
    pthread_mutex_lock(&lock);
    slot = mine;
    pthread_mutex_unlock(&lock);
    free(slot);
    return unused;
}
#else
static _Atomic(char *) slot;
static void *work(void *first) {
#ifdef ATOMIC
    atomic_store(&slot, malloc(16));
    free(atomic_load(&slot));
#elif defined ORDERED
    pthread_mutex_lock(&lock);
    free(slot);
    pthread_mutex_unlock(&lock);
#else
    char *found = atomic_load(&slot);
#ifdef GROWN
    if (first) found = realloc(found, 5000);
#endif
    free(found);
#endif
    return first;
}
#endif

int main(void) {
#if defined LOADS || defined ORDERED
    slot = malloc(16);
#endif
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, (void *)&lock);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
