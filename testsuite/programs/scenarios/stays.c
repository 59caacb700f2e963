// A number with a thread that waits for ever, and still does when main returns: executions end by the end of the process, and
// results are judged there, too. `stale`: add reads and writes in two steps.
//@ revisions: right stale
//@[right] expect: verified
//@[right] kind: main-exits-early
//@[stale] expect: bug
//@[stale] kind: not-linearizable main-exits-early
//@[stale] cflags: -DSTALE
#include <dpor/scenario.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t never;
static void *stay(void *none)
{
    sem_wait(&never);
    return none;
}

static void *make(void) { return calloc(1, sizeof(atomic_long)); }
static long add(void *object, long none)
{
    atomic_long *number = object;
    (void)none;
#ifdef STALE
    long before = *number;
    *number = before + 1;
    return before;
#else
    return atomic_fetch_add(number, 1);
#endif
}

int main(int argc, char **argv)
{
    static const struct dpor_operation all[] = {DPOR_OPERATION("add", add)};
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, 0, stay, 0);
    pthread_detach(thread);
    return dpor_scenario_main(dpor_made_of("number", __FILE__, make, free, all, 1), argc, argv);
}
