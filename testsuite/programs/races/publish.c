// A flag that publishes plain data. Only release on one side and acquire on the other synchronize
// (C11 5.1.2.4): one relaxed side is a race on data; with both the reader that sees the flag
// happens after the write. Two traces each: flag seen or not; races do not add any. Where races are no bugs
// (warn), other orders of the accesses that race may do something else; off looks for none.
//@ revisions: relaxed_store relaxed_load release_acquire seq_cst sc warn off
//@[relaxed_store] cflags: -DSTORE=memory_order_relaxed -DLOAD=memory_order_acquire
//@[relaxed_store] expect: bug
//@[relaxed_store] kind: data-race
//@[relaxed_load] cflags: -DSTORE=memory_order_release -DLOAD=memory_order_relaxed
//@[relaxed_load] expect: bug
//@[relaxed_load] kind: data-race
//@[release_acquire] cflags: -DSTORE=memory_order_release -DLOAD=memory_order_acquire
//@[release_acquire] expect: verified
//@[release_acquire] executions: 2
//@[seq_cst] cflags: -DSTORE=memory_order_seq_cst -DLOAD=memory_order_seq_cst
//@[seq_cst] expect: verified
//@[seq_cst] executions: 2
//@[sc] cflags: -DSTORE=memory_order_relaxed -DLOAD=memory_order_relaxed
//@[sc] args: --races=sc
//@[sc] expect: verified
//@[sc] executions: 2
//@[warn] cflags: -DSTORE=memory_order_relaxed -DLOAD=memory_order_relaxed
//@[warn] args: --races=warn
//@[warn] expect: incomplete
//@[warn] reason: races, and plain accesses in one order only (--plain=explore)
//@[warn] kind: data-race
//@[warn] executions: 2
//@[off] cflags: -DSTORE=memory_order_relaxed -DLOAD=memory_order_relaxed
//@[off] args: --races=off
//@[off] expect: verified
//@[off] executions: 2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
int data, seen;

static void *writer(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, STORE);
    return unused;
}

static void *reader(void *unused) {
    if (atomic_load_explicit(&flag, LOAD)) seen = data;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
