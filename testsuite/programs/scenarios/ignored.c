// A word whose plain accesses are ignored, and race: executions of one trace return different values, so that the order of
// calls is not told by the trace. Each execution is linearizable, as accesses to one word are. `stale`: add reads and writes in
// two steps. `late`: what is learnt of calls before there are threads ignores nothing. `races`: nothing is ignored, and races are
// not looked for.
//@ revisions: right stale late races
//@[right] expect: verified
//@[stale] expect: bug
//@[stale] kind: not-linearizable
//@[stale] cflags: -DSTALE
//@[late] expect: verified
//@[late] cflags: -DLATE
//@[races] expect: verified
//@[races] cflags: -DRACES
//@[races] args: --races=off
#include <dpor.h>
#include <dpor/scenario.h>
#include <stdatomic.h>

struct cell {
    long value;
    atomic_long n;
    pthread_t maker;
};
static void *make(void)
{
    struct cell *cell = calloc(1, sizeof(struct cell));
    cell->maker = pthread_self();
    return cell;
}
static int ignores(struct cell *cell)
{
#ifdef RACES
    return cell == 0;
#elif defined LATE
    return !pthread_equal(pthread_self(), cell->maker);
#else
    return cell != 0;
#endif
}
static void begin(struct cell *cell)
{
    if (ignores(cell))
        dpor_ignore_begin();
}
static void end(struct cell *cell)
{
    if (ignores(cell))
        dpor_ignore_end();
}
static long set(void *object, long value)
{
    struct cell *cell = object;
    begin(cell);
    cell->value = value;
    end(cell);
    return 0;
}
static long get(void *object, long none)
{
    struct cell *cell = object;
    (void)none;
    begin(cell);
    long value = cell->value;
    end(cell);
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
