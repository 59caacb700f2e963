/* Objects of which it is known by hand whether they are wait-free: the last argument says which. The reasons are in
 * wait_free.rs. */
#include <dpor/scenario.h>
#include <stdatomic.h>

struct object {
    atomic_int n, version, data;
    /* Of the stack: the number of the node on top, and above it one of four versions; behind each node the next one. */
    atomic_int top, next[3];
    /* Of callers 1 and 2: the turn that was asked for last; the node that is the caller's to push. */
    atomic_int asked[3];
    int node[3];
    pthread_mutex_t lock;
};

static void *make(void)
{
    struct object *object = calloc(1, sizeof *object);
    object->node[1] = 1;
    object->node[2] = 2;
    pthread_mutex_init(&object->lock, 0);
    return object;
}

static void drop(void *object)
{
    pthread_mutex_destroy(&((struct object *)object)->lock);
    free(object);
}

#define OPERATION(name) static long name(void *object, long me)
#define THIS                                                                                                              \
    struct object *x = object;                                                                                            \
    (void)x;                                                                                                              \
    (void)me

OPERATION(nothing) { THIS; return 0; }
OPERATION(exchange) { THIS; return atomic_exchange(&x->n, (int)me); }
OPERATION(turn) { THIS; return atomic_fetch_xor(&x->n, (int)me); }
OPERATION(mark) { THIS; return atomic_fetch_or(&x->n, (int)me); }
OPERATION(wipe) { THIS; return atomic_fetch_and(&x->n, 0); }
OPERATION(set) { THIS; x->n = (int)me; return 0; }
OPERATION(get) { THIS; return x->n; }
OPERATION(grow) { THIS; return x->data++; }

OPERATION(toggle)
{
    THIS;
    int seen = x->n;
    while (!atomic_compare_exchange_strong(&x->n, &seen, 1 - seen)) { }
    return seen;
}

OPERATION(toggle_and_mark)
{
    THIS;
    int seen = x->n;
    while (!atomic_compare_exchange_strong(&x->n, &seen, 1 - seen))
        dpor_progress();
    return seen;
}

OPERATION(try_twice)
{
    THIS;
    int seen = x->n;
    return atomic_compare_exchange_strong(&x->n, &seen, 1 - seen) ||
           atomic_compare_exchange_strong(&x->n, &seen, 1 - seen);
}

OPERATION(through_the_stack)
{
    THIS;
    int node = x->node[me], seen = x->top;
    do
        x->next[node] = seen & 3;
    while (!atomic_compare_exchange_strong(&x->top, &seen, node | ((seen & ~3) + 4) % 16));
    seen = x->top;
    while (!atomic_compare_exchange_strong(&x->top, &seen, x->next[seen & 3] | ((seen & ~3) + 4) % 16)) { }
    x->node[me] = seen & 3;
    return 0;
}

OPERATION(lock)
{
    THIS;
    pthread_mutex_lock(&x->lock);
    pthread_mutex_unlock(&x->lock);
    return 0;
}

OPERATION(spin)
{
    THIS;
    while (atomic_exchange(&x->n, 1)) { }
    x->n = 0;
    return 0;
}

OPERATION(publish)
{
    THIS;
    x->data = 1 - x->data;
    x->version = (x->version + 1) % 3;
    return 0;
}

OPERATION(consistent)
{
    THIS;
    int version, data;
    do {
        version = x->version;
        data = x->data;
    } while (x->version != version);
    return data;
}

OPERATION(own)
{
    THIS;
    do
        x->n = (int)me;
    while (x->n != me);
    return 0;
}

/* Bit 0 is the value that calls turn; bit q + 1 says which was the last turn of caller q that was made. A caller asks for a turn
 * by its own bit, and makes all turns that are asked for, or its own only. */
static long turned(struct object *x, int me, int helps)
{
    int asked = atomic_fetch_xor(&x->asked[me], 1) ^ 1, seen = x->n;
    while ((seen >> (me + 1) & 1) != asked) {
        int next = seen, q;
        for (q = 1; q <= 2; q++)
            if ((helps || q == me) && (seen >> (q + 1) & 1) != x->asked[q])
                next ^= 1 | 1 << (q + 1);
        atomic_compare_exchange_strong(&x->n, &seen, next);
        seen = x->n;
    }
    return 0;
}
OPERATION(turn_and_help) { THIS; return turned(x, (int)me, 1); }
OPERATION(turn_alone) { THIS; return turned(x, (int)me, 0); }

#define BY_EACH(function)                                                                                                 \
    DPOR_OPERATION("first", function, DPOR_VALUES(1), DPOR_BY_ONE_THREAD(1)),                                             \
    DPOR_OPERATION("second", function, DPOR_VALUES(2), DPOR_BY_ONE_THREAD(2))

#define OBJECT(name, ...)                                                                                                 \
    if (!strcmp(which, #name)) {                                                                                          \
        const struct dpor_operation all[] = {__VA_ARGS__};                                                                \
        return dpor_scenario_main(                                                                                        \
            dpor_made_of(#name, __FILE__, make, drop, all, (int)(sizeof all / sizeof *all)), argc, argv);                 \
    }

int main(int argc, char **argv)
{
    const char *which = argv[argc - 1];
    int k;
    /* As with headers that do not know the argument: each thread makes its calls once, and tells of no end. */
    if (!strcmp(which, "unasked")) {
        for (k = 1; k < argc; k++)
            if (!strcmp(argv[k], "--dpor-again"))
                argv[k] = "";
        which = "exchanged";
    }
    OBJECT(exchanged, DPOR_OPERATION("exchange", exchange, DPOR_VALUES(1, 2)))
    OBJECT(turned, DPOR_OPERATION("turn", turn, DPOR_VALUES(1, 2)))
    OBJECT(marked, DPOR_OPERATION("mark", mark, DPOR_VALUES(1, 2)), DPOR_OPERATION("wipe", wipe))
    OBJECT(stored, DPOR_OPERATION("set", set, DPOR_VALUES(1, 2)), DPOR_OPERATION("get", get))
    OBJECT(empty, DPOR_OPERATION("nothing", nothing), DPOR_OPERATION("get", get))
    OBJECT(tried_twice, DPOR_OPERATION("try", try_twice))
    OBJECT(helped, BY_EACH(turn_and_help))
    OBJECT(toggled, DPOR_OPERATION("toggle", toggle))
    OBJECT(toggled_and_marked, DPOR_OPERATION("toggle", toggle_and_mark))
    OBJECT(toggled_or_not, DPOR_OPERATION("toggle", toggle), DPOR_OPERATION("nothing", nothing))
    OBJECT(stacked, BY_EACH(through_the_stack))
    OBJECT(locked, DPOR_OPERATION("lock", lock))
    OBJECT(spinning, DPOR_OPERATION("spin", spin))
    OBJECT(reread, DPOR_OPERATION("publish", publish, DPOR_BY_ONE_THREAD(1)),
           DPOR_OPERATION("read", consistent, DPOR_BY_ONE_THREAD(2)))
    OBJECT(owned, DPOR_OPERATION("own", own, DPOR_VALUES(1, 2)))
    OBJECT(unhelped, BY_EACH(turn_alone))
    OBJECT(grown, DPOR_OPERATION("grow", grow))
    OBJECT(toggled_and_grown, DPOR_OPERATION("toggle", toggle), DPOR_OPERATION("grow", grow))
    return 2;
}
