// Each width and each operator: two threads, of which one changes and one compares and exchanges. Two orders each, and
// the threads of one width meet nobody else: 2 executions.
//@ revisions: w1 w2 w4 w8 w16
//@ expect: verified
//@ executions: 2
//@[w1] cflags: -DTYPE=__UINT8_TYPE__
//@[w2] cflags: -DTYPE=__UINT16_TYPE__
//@[w4] cflags: -DTYPE=__UINT32_TYPE__
//@[w8] cflags: -DTYPE=__UINT64_TYPE__
//@[w16] cflags: -DTYPE=__uint128_t
//@ opt: O0 O2
#include <assert.h>
#include <pthread.h>
static TYPE shared = 1, own;
static const TYPE BIG = (TYPE)1 << (8 * sizeof(TYPE) - 1);
static void *change(void *unused) {
    __atomic_fetch_or(&shared, BIG, __ATOMIC_ACQ_REL);
    return unused;
}
static void operators(void) {
    __atomic_store_n(&own, BIG + 5, __ATOMIC_RELAXED);
    assert(__atomic_load_n(&own, __ATOMIC_ACQUIRE) == (TYPE)(BIG + 5));
    assert(__atomic_fetch_add(&own, 2, __ATOMIC_RELAXED) == (TYPE)(BIG + 5));
    assert(__atomic_fetch_sub(&own, 3, __ATOMIC_RELEASE) == (TYPE)(BIG + 7));
    assert(__atomic_fetch_and(&own, (TYPE)(BIG | 6), __ATOMIC_ACQUIRE) == (TYPE)(BIG + 4));
    assert(__atomic_fetch_xor(&own, 1, __ATOMIC_SEQ_CST) == (TYPE)(BIG + 4));
    assert(__atomic_fetch_nand(&own, 7, __ATOMIC_SEQ_CST) == (TYPE)(BIG + 5));
    assert(__atomic_exchange_n(&own, 9, __ATOMIC_SEQ_CST) == (TYPE)~5);
    TYPE expected = 8;
    assert(!__atomic_compare_exchange_n(&own, &expected, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) && expected == 9);
    assert(__atomic_compare_exchange_n(&own, &expected, 7, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    assert(own == 7);
}
int main(void) {
    operators();
    pthread_t other;
    pthread_create(&other, 0, change, 0);
    TYPE expected = 1;
    int is_first = __atomic_compare_exchange_n(&shared, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    pthread_join(other, 0);
    assert(shared == (TYPE)(BIG | (is_first ? 2 : 1)));
    return 0;
}
