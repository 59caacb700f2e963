/* single, masked, barrier, sections and static loops, flush. */
#include "internal.h"

#include <string.h>

/* The next loop or single of the team: all threads of a team meet them in the same order. */
struct construct *dpor_omp_next_construct(struct task *task)
{
    task = task->host;
    if (task->team->size == 1) {
        memset(&task->own, 0, sizeof task->own);
        return &task->own;
    }
    if (task->is_explicit)
        dpor_omp_unsupported("a loop or a single of the team inside a task is not allowed");
    if (task->constructs_met == CONSTRUCTS_MAX)
        dpor_omp_unsupported("more than 64 loops, sections or singles without a barrier between them are not supported");
    return &task->team->constructs[task->bank][task->constructs_met++];
}

/* Who comes first does it. The others learn nothing from each other, so that nothing but a barrier
 * orders what they do behind it. */
int32_t __kmpc_single(struct ident *place, int32_t id)
{
    (void)place, (void)id;
    struct construct *construct = dpor_omp_next_construct(dpor_omp_current());
    uint64_t none = 0;
    return atomic_compare_exchange_strong_explicit(&construct->taken, &none, 1, memory_order_relaxed,
                                                   memory_order_relaxed);
}

void __kmpc_end_single(struct ident *place, int32_t id) { (void)place, (void)id; }

void __kmpc_copyprivate(struct ident *place, int32_t id, size_t size, void *data, void (*copy)(void *, void *),
                        int32_t is_source)
{
    (void)place, (void)id, (void)size;
    struct task *task = dpor_omp_current();
    if (is_source)
        task->team->copyprivate = data;
    dpor_omp_barrier(task);
    if (!is_source)
        copy(data, task->team->copyprivate);
    dpor_omp_barrier(task);
}

int32_t __kmpc_masked(struct ident *place, int32_t id, int32_t filter)
{
    (void)place, (void)id;
    return dpor_omp_number_of(dpor_omp_current()) == filter;
}

void __kmpc_end_masked(struct ident *place, int32_t id) { (void)place, (void)id; }
int32_t __kmpc_master(struct ident *place, int32_t id) { return __kmpc_masked(place, id, 0); }
void __kmpc_end_master(struct ident *place, int32_t id) { (void)place, (void)id; }

void __kmpc_barrier(struct ident *place, int32_t id)
{
    (void)place, (void)id;
    dpor_omp_barrier(dpor_omp_current());
}

int32_t __kmpc_cancel_barrier(struct ident *place, int32_t id)
{
    __kmpc_barrier(place, id);
    return 0;
}

/* Without OMP_CANCELLATION=true, which is refused, these have no effect. */
int32_t __kmpc_cancel(struct ident *place, int32_t id, int32_t what) { return (void)place, (void)id, (void)what, 0; }

int32_t __kmpc_cancellationpoint(struct ident *place, int32_t id, int32_t what)
{
    return (void)place, (void)id, (void)what, 0;
}

void __kmpc_flush(struct ident *place)
{
    (void)place;
    atomic_thread_fence(memory_order_seq_cst);
}

/* A thread's part of a loop that is divided beforehand: with a chunk, every size'th chunk; without, one
 * block, and the first threads have the iterations that are left over. */
#define STATIC_INIT(NAME, T, UT, ST)                                                                          \
    void NAME(struct ident *place, int32_t id, int32_t schedule, int32_t *last, T *lower, T *upper,           \
              ST *stride, ST step, ST chunk)                                                                  \
    {                                                                                                         \
        (void)place, (void)id;                                                                                \
        struct task *task = dpor_omp_current();                                                                        \
        UT size = (UT)task->team->size, number = size > 1 ? (UT)dpor_omp_number_of(task) : 0;                          \
        T begin = *lower, end = *upper;                                                                       \
        schedule &= ~SCHEDULE_MODIFIERS;                                                                      \
        if (step > 0 ? end < begin : begin < end) {                                                           \
            *last = 0;                                                                                        \
            *stride = step;                                                                                   \
            return;                                                                                           \
        }                                                                                                     \
        UT trips = step > 0 ? ((UT)end - (UT)begin) / (UT)step + 1                                            \
                            : ((UT)begin - (UT)end) / (UT)(-step) + 1;                                        \
        if (schedule == SCHEDULE_STATIC_CHUNKED) {                                                            \
            UT each = chunk < 1 ? 1 : (UT)chunk;                                                              \
            *stride = (ST)(size * each * (UT)step);                                                           \
            *lower = (T)((UT)begin + number * each * (UT)step);                                               \
            *upper = (T)((UT)*lower + (each - 1) * (UT)step);                                                 \
            *last = number == (trips - 1) / each % size;                                                      \
            return;                                                                                           \
        }                                                                                                     \
        if (schedule != SCHEDULE_STATIC)                                                                      \
            dpor_omp_unsupported("distribute is not supported");                                                       \
        UT each = trips / size, more = trips % size;                                                          \
        UT first = number * each + (number < more ? number : more);                                           \
        UT count = each + (number < more);                                                                    \
        *stride = (ST)(trips * (UT)step);                                                                     \
        *last = count > 0 && first + count == trips;                                                          \
        *lower = count > 0 ? (T)((UT)begin + first * (UT)step) : (T)((UT)end + (UT)step);                     \
        *upper = count > 0 ? (T)((UT)*lower + (count - 1) * (UT)step) : end;                                  \
    }

STATIC_INIT(__kmpc_for_static_init_4, int32_t, uint32_t, int32_t)
STATIC_INIT(__kmpc_for_static_init_4u, uint32_t, uint32_t, int32_t)
STATIC_INIT(__kmpc_for_static_init_8, int64_t, uint64_t, int64_t)
STATIC_INIT(__kmpc_for_static_init_8u, uint64_t, uint64_t, int64_t)

void __kmpc_for_static_fini(struct ident *place, int32_t id) { (void)place, (void)id; }
