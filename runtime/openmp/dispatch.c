/* Loops whose chunks are asked for: schedule(dynamic), guided, runtime and auto, and all loops with ordered.
 *
 * The chunks of a dynamic loop have numbers, and one relaxed addition takes the next. Which thread gets
 * which chunk is then the order of these additions, and every such order is explored. They are relaxed so
 * that taking a chunk orders nothing else. Who took the last chunk knows that there is no more: n threads
 * and c chunks have n^c distributions, times the orders in which the other threads find nothing left. */
#include "internal.h"

/* Iterations of the guided chunk when `left` are: an equal share, or the smallest chunk. */
static uint64_t guided(const struct loop *loop, uint64_t left, uint64_t size)
{
    uint64_t share = (left + size - 1) / size;
    uint64_t chunk = share > loop->chunk ? share : loop->chunk;
    return chunk < left ? chunk : left;
}

/* The first iteration of a chunk and how many it has. */
static uint64_t chunk_begin(const struct loop *loop, uint64_t number, uint64_t size, uint64_t *count)
{
    if (loop->schedule != SCHEDULE_GUIDED) {
        uint64_t begin = number * loop->chunk, left = loop->trips - begin;
        *count = left < loop->chunk ? left : loop->chunk;
        return begin;
    }
    uint64_t begin = 0;
    for (uint64_t at = 0; at < number; at++)
        begin += guided(loop, loop->trips - begin, size);
    *count = guided(loop, loop->trips - begin, size);
    return begin;
}

static uint64_t count_chunks(const struct loop *loop, uint64_t size)
{
    if (loop->schedule != SCHEDULE_GUIDED)
        return loop->trips / loop->chunk + (loop->trips % loop->chunk != 0);
    uint64_t chunks = 0;
    for (uint64_t begin = 0; begin < loop->trips; chunks++)
        begin += guided(loop, loop->trips - begin, size);
    return chunks;
}

static void begin_loop(int schedule, uint64_t trips, uint64_t first, uint64_t step, int64_t chunk)
{
    struct task *task = dpor_omp_current();
    struct loop *loop = &task->loop;
    schedule &= ~SCHEDULE_MODIFIERS;
    *loop = (struct loop){.trips = trips, .first = first, .step = step};
    loop->is_ordered = schedule > SCHEDULE_AUTO + 16 && schedule <= SCHEDULE_AUTO + SCHEDULE_ORDERED;
    if (loop->is_ordered)
        schedule -= SCHEDULE_ORDERED;
    if (schedule == SCHEDULE_RUNTIME) {
        schedule = task->settings.schedule;
        chunk = task->settings.chunk;
        if (schedule == SCHEDULE_STATIC && chunk > 0)
            schedule = SCHEDULE_STATIC_CHUNKED;
    }
    loop->construct = dpor_omp_next_construct(task);
    loop->chunk = chunk < 1 ? 1 : (uint64_t)chunk;
    loop->next = task->team->size > 1 ? (uint64_t)dpor_omp_number_of(task) : 0;
    switch (schedule) {
    case SCHEDULE_STATIC_CHUNKED: break;
    case SCHEDULE_DYNAMIC: break;
    case SCHEDULE_GUIDED: break;
    case SCHEDULE_STATIC: case SCHEDULE_AUTO: schedule = SCHEDULE_STATIC; break;
    default: dpor_omp_unsupported("this schedule is not supported");
    }
    loop->schedule = schedule;
    if (schedule != SCHEDULE_STATIC)
        loop->chunks = count_chunks(loop, (uint64_t)task->team->size);
}

/* A thread's only block. */
static bool next_block(struct loop *loop, uint64_t size, uint64_t *begin, uint64_t *count)
{
    uint64_t each = loop->trips / size, more = loop->trips % size, number = loop->next;
    *begin = number * each + (number < more ? number : more);
    *count = each + (number < more);
    loop->is_over = true;
    return *count > 0;
}

static bool next_chunk(struct task *task, uint64_t *begin, uint64_t *count)
{
    struct loop *loop = &task->loop;
    uint64_t size = (uint64_t)task->team->size, number;
    if (loop->is_over)
        return false;
    if (loop->schedule == SCHEDULE_STATIC)
        return next_block(loop, size, begin, count);
    if (loop->schedule == SCHEDULE_STATIC_CHUNKED || loop->chunks == 0) {
        number = loop->next;
        loop->next += size;
    } else {
        number = atomic_fetch_add_explicit(&loop->construct->taken, 1, memory_order_relaxed);
    }
    loop->is_over = number + 1 >= loop->chunks;
    if (number >= loop->chunks)
        return false;
    *begin = chunk_begin(loop, number, size, count);
    return true;
}

/* Waits until the ordered regions of all iterations before the running one are over. */
static void await_turn(struct loop *loop)
{
    dpor_omp_await(&loop->construct->ordered, loop->iteration);
}

static void end_turn(struct loop *loop)
{
    atomic_store_explicit(&loop->construct->ordered, loop->iteration + 1, memory_order_release);
    loop->was_ordered = true;
}

void __kmpc_ordered(struct ident *place, int32_t id)
{
    (void)place, (void)id;
    struct task *task = dpor_omp_current();
    if (task->loop.is_ordered)
        await_turn(&task->loop);
}

void __kmpc_end_ordered(struct ident *place, int32_t id)
{
    (void)place, (void)id;
    struct task *task = dpor_omp_current();
    if (task->loop.is_ordered)
        end_turn(&task->loop);
}

/* At the end of each iteration of a loop with ordered; one that had no ordered region gives its turn away. */
static void end_iteration(void)
{
    struct loop *loop = &dpor_omp_current()->loop;
    if (!loop->is_ordered)
        return;
    if (!loop->was_ordered) {
        await_turn(loop);
        end_turn(loop);
    }
    loop->was_ordered = false;
    loop->iteration++;
}

void __kmpc_dispatch_deinit(struct ident *place, int32_t id) { (void)place, (void)id; }

#define DISPATCH(SUFFIX, T, UT, ST)                                                                           \
    void __kmpc_dispatch_init_##SUFFIX(struct ident *place, int32_t id, int32_t schedule, T lower, T upper,   \
                                       ST step, ST chunk)                                                     \
    {                                                                                                         \
        (void)place, (void)id;                                                                                \
        uint64_t trips = 0;                                                                                   \
        if (step > 0 && lower <= upper)                                                                       \
            trips = (uint64_t)(UT)((UT)upper - (UT)lower) / (UT)step + 1;                                     \
        else if (step < 0 && lower >= upper)                                                                  \
            trips = (uint64_t)(UT)((UT)lower - (UT)upper) / (UT)(-step) + 1;                                  \
        begin_loop(schedule, trips, (uint64_t)(UT)lower, (uint64_t)(UT)step, chunk);                          \
    }                                                                                                         \
    int32_t __kmpc_dispatch_next_##SUFFIX(struct ident *place, int32_t id, int32_t *last, T *lower, T *upper, \
                                          ST *stride)                                                         \
    {                                                                                                         \
        (void)place, (void)id;                                                                                \
        struct task *task = dpor_omp_current();                                                                        \
        struct loop *loop = &task->loop;                                                                      \
        uint64_t begin, count;                                                                                \
        if (!next_chunk(task, &begin, &count))                                                                \
            return 0;                                                                                         \
        loop->iteration = begin;                                                                              \
        *lower = (T)((UT)loop->first + (UT)begin * (UT)loop->step);                                           \
        *upper = (T)((UT)loop->first + (UT)(begin + count - 1) * (UT)loop->step);                             \
        *stride = (ST)loop->step;                                                                             \
        if (last)                                                                                             \
            *last = begin + count == loop->trips;                                                             \
        return 1;                                                                                             \
    }                                                                                                         \
    void __kmpc_dispatch_fini_##SUFFIX(struct ident *place, int32_t id)                                       \
    {                                                                                                         \
        (void)place, (void)id;                                                                                \
        end_iteration();                                                                                      \
    }

DISPATCH(4, int32_t, uint32_t, int32_t)
DISPATCH(4u, uint32_t, uint32_t, int32_t)
DISPATCH(8, int64_t, uint64_t, int64_t)
DISPATCH(8u, uint64_t, uint64_t, int64_t)
