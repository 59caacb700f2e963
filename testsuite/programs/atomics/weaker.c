// Accesses that ask for less than sequential consistency, of every kind: each counts once, however often it is made, and one
// counts if any of its orders is weaker.
//
// Message passing beside a counter. The thread: exchange of `flag` (relaxed), addition to `count` (acq_rel, result used); main: load of
// `flag` (consume, which is acquire), compare-exchange of `count` 7 -> 8 (seq_cst, relaxed where it fails). 4 places.
// A trace is an order of the two accesses of `flag` and one of those of `count`. The compare-exchange fails whenever it comes: `count`
// is 0 or 1. The four combinations: both of one thread first (2), exchange first and compare-exchange first (exchange, load,
// compare-exchange, addition: possible), load first and addition first (load, exchange, addition, compare-exchange: possible). 4.
//
//@ opt: O0 O2
//@ expect: verified
//@ executions: 4
//@ note: verified under sequential consistency; 4 atomic accesses are weaker
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, count;
static int before, got;

static void *sender(void *unused)
{
    got = atomic_exchange_explicit(&flag, 1, memory_order_relaxed);
    before = atomic_fetch_add_explicit(&count, 1, memory_order_acq_rel);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int expected = 7;
    pthread_create(&thread, 0, sender, 0);
    int seen = atomic_load_explicit(&flag, memory_order_consume);
    atomic_compare_exchange_strong_explicit(&count, &expected, 8, memory_order_seq_cst, memory_order_relaxed);
    pthread_join(thread, 0);
    return before + got > 1 || seen > 1 || expected > 1;
}
