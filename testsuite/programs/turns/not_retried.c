// Loops around a compare-exchange in which a failure is not like a later look: the executions in which it fails are
// explored. What comes out is what every interleaving of the loops as they are brings out (`dfs`).
//
// Stale: one that succeeded tries again with what it expected before. Counted: a turn counts. Earlier: what is written
// depends on a look between the first look and the loop. Beside: so does what is told behind the loop. Announced: a turn tells others what it found. Kept: the first
// look is used behind the loop. Gives up: only so many turns. Other: it looks at another place first.
// Comes back: the optimizer puts a copy of the exchange before the loop, which would succeed where the value is back.
// Acquires, fences: what comes between the first look and the loop acquires. Whoever fails did that too early, and reads
// the data without an order.
// Order: the first look acquires, and a failure does not. So whoever fails reads the data without an order.
//@ revisions: stale counted earlier beside announced kept gives_up other comes_back acquires fences order
//@ opt: O0 O1 O2
//@[stale] cflags: -DSTALE
//@[stale] expect: verified
//@[stale] dfs: same-outcomes
//@[counted] cflags: -DCOUNTED
//@[counted] expect: verified
//@[counted] dfs: same-outcomes
//@[earlier] cflags: -DEARLIER
//@[earlier] expect: verified
//@[earlier] dfs: same-outcomes
//@[beside] cflags: -DBESIDE
//@[beside] expect: verified
//@[beside] dfs: same-outcomes
//@[announced] cflags: -DANNOUNCED
//@[announced] expect: verified
//@[announced] dfs: same-outcomes
//@[kept] cflags: -DKEPT
//@[kept] expect: verified
//@[kept] dfs: same-outcomes
//@[gives_up] cflags: -DGIVES_UP
//@[gives_up] expect: verified
//@[gives_up] dfs: same-outcomes
//@[other] cflags: -DOTHER
//@[other] expect: verified
//@[other] dfs: same-outcomes
//@[comes_back] cflags: -DCOMES_BACK
//@[comes_back] expect: verified
//@[comes_back] dfs: same-outcomes
//@[acquires] cflags: -DACQUIRES
//@[acquires] expect: bug
//@[acquires] kind: data-race
//@[fences] cflags: -DFENCES
//@[fences] expect: bug
//@[fences] kind: data-race
//@[order] cflags: -DORDER
//@[order] expect: bug
//@[order] kind: data-race
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;
static int data;
#ifdef COMES_BACK
static struct { int next, turns; } node;
#endif

static void *retries(void *unused) {
#if defined STALE
    int e = atomic_load(&x);
    for (int i = 0; i < 2;) {
        if (atomic_compare_exchange_strong(&x, &e, e + 1)) i++;
    }
    dpor_observe("e", e);
#elif defined COUNTED
    int turns = 0;
    int e = atomic_load(&x);
    while (!atomic_compare_exchange_strong(&x, &e, e + 100)) turns++;
    dpor_observe("turns", turns);
#elif defined EARLIER
    int e = atomic_load(&x);
    int k = atomic_load(&y);
    while (!atomic_compare_exchange_strong(&x, &e, e + 100 * k)) {
    }
    dpor_observe("e", e);
#elif defined BESIDE
    int e = atomic_load(&x);
    int k = atomic_load(&y);
    while (!atomic_compare_exchange_strong(&x, &e, e + 100)) {
    }
    dpor_observe("e", e);
    dpor_observe("k", k);
#elif defined ANNOUNCED
    int e = atomic_load(&x);
    do atomic_store(&y, e + 10);
    while (!atomic_compare_exchange_strong(&x, &e, e + 100));
#elif defined KEPT
    int e = atomic_load(&x);
    int first = e;
    while (!atomic_compare_exchange_strong(&x, &e, e + 100)) {
    }
    dpor_observe("first", first);
#elif defined GIVES_UP
    int e = atomic_load(&x);
    int is_done = 0;
    for (int i = 0; i < 2 && !is_done; i++) is_done = atomic_compare_exchange_strong(&x, &e, e + 100);
    dpor_observe("done", is_done);
#elif defined OTHER
    int e = atomic_load(&y);
    while (!atomic_compare_exchange_strong(&x, &e, e + 100)) {
    }
    dpor_observe("e", e);
#elif defined COMES_BACK
    node.next = atomic_load(&x);
    node.turns = atomic_load(&y);
    while (!atomic_compare_exchange_strong(&x, &node.next, node.next + 100)) node.turns = atomic_load(&y);
    dpor_observe("next", node.next);
    dpor_observe("turns", node.turns);
#elif defined ACQUIRES || defined FENCES
    int e = atomic_load_explicit(&x, memory_order_relaxed);
#ifdef ACQUIRES
    (void)atomic_load_explicit(&y, memory_order_acquire);
#else
    atomic_thread_fence(memory_order_acquire);
#endif
    while (!atomic_compare_exchange_strong_explicit(&x, &e, e + 100, memory_order_relaxed, memory_order_relaxed)) {
    }
    if (e == 2) dpor_observe("data", data);
#elif defined ORDER
    int e = atomic_load_explicit(&x, memory_order_acquire);
    while (!atomic_compare_exchange_strong_explicit(&x, &e, e + 100, memory_order_relaxed, memory_order_relaxed)) {
    }
    if (e == 2) dpor_observe("data", data);
#endif
    return unused;
}

static void *stores(void *unused) {
#if defined ORDER || defined ACQUIRES || defined FENCES
    data = 1;
    atomic_store_explicit(&y, 1, memory_order_release);
    atomic_store_explicit(&x, 2, memory_order_release);
#else
    atomic_store(&x, 1);
    dpor_observe("y", atomic_load(&y));
    atomic_store(&y, 1);
#ifdef COMES_BACK
    atomic_store(&x, 0);
#else
    atomic_store(&x, 2);
#endif
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, retries, NULL);
    pthread_create(&b, NULL, stores, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    dpor_observe("x", x);
    return 0;
}
