// The interface of C. `stale`: add reads and writes in two steps.
//@ revisions: right stale
//@[right] expect: verified
//@[stale] expect: bug
//@[stale] kind: not-linearizable
//@[stale] cflags: -DSTALE
//@[stale] program-args: --dpor-scenario=2x1
//@[stale] message: add(1) = 0 | add(1) = 0
#include <dpor/scenario.h>
#include <stdatomic.h>

struct counter {
    atomic_long n;
};
static void *make(void) { return calloc(1, sizeof(struct counter)); }
static long add(void *object, long n)
{
    struct counter *counter = object;
#ifdef STALE
    long before = counter->n;
    counter->n = before + n;
    return before;
#else
    return atomic_fetch_add(&counter->n, n);
#endif
}
static long get(void *object, long none)
{
    struct counter *counter = object;
    (void)none;
    return counter->n;
}
DPOR_SCENARIO(counter, make, free, DPOR_OPERATION("add", add, DPOR_VALUES(1, 2)), DPOR_OPERATION("get", get))
