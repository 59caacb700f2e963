// A word whose plain accesses are ignored, and race: executions of one trace return different values, so that the order of
// calls is not told by the trace. Each execution is linearizable, as accesses to one word are. `stale`: add reads and writes in
// two steps.
//@ revisions: right stale
//@[right] expect: verified
//@[stale] expect: bug
//@[stale] kind: not-linearizable
//@[stale] cflags: -DSTALE
#include <dpor.h>
#include <dpor/scenario.h>
#include <stdatomic.h>

struct cell {
    long value;
    atomic_long n;
};
static void *make(void) { return calloc(1, sizeof(struct cell)); }
static long set(void *object, long value)
{
    struct cell *cell = object;
    dpor_ignore_begin();
    cell->value = value;
    dpor_ignore_end();
    return 0;
}
static long get(void *object, long none)
{
    struct cell *cell = object;
    (void)none;
    dpor_ignore_begin();
    long value = cell->value;
    dpor_ignore_end();
    return value;
}
static long add(void *object, long none)
{
    struct cell *cell = object;
    (void)none;
#ifdef STALE
    long before = cell->n;
    cell->n = before + 1;
    return before;
#else
    return atomic_fetch_add(&cell->n, 1);
#endif
}
DPOR_SCENARIO(cell, make, free, DPOR_OPERATION("set", set, DPOR_VALUES(1, 2)), DPOR_OPERATION("get", get),
              DPOR_OPERATION("add", add))
