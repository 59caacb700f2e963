/* Loops with ordered(n): an iteration waits for others by name, and posts that it has come so far. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

void __kmpc_doacross_init(struct ident *place, int32_t id, int32_t count, const struct dimension *dimensions)
{
    (void)place, (void)id;
    struct task *task = dpor_omp_current();
    uint64_t iterations = 1;
    for (int32_t at = 0; at < count; at++) {
        const struct dimension *one = &dimensions[at];
        int64_t range = one->step > 0 ? one->upper - one->lower : one->lower - one->upper;
        int64_t step = one->step > 0 ? one->step : -one->step;
        iterations *= range < 0 ? 0 : (uint64_t)(range / step + 1);
    }
    if (iterations > POSTS_MAX)
        dpor_omp_unsupported("a loop with ordered(n) of more than 64 iterations is not supported");
    task->dimensions = dpor_omp_allocate((size_t)count, sizeof *dimensions);
    memcpy(task->dimensions, dimensions, sizeof *dimensions * (size_t)count);
    task->dimensions_count = count;
    task->crossing = NULL;
    if (task->team->size == 1)
        return;
    if (task->crossings_met == CROSSINGS_MAX)
        dpor_omp_unsupported("more than 4 loops with ordered(n) without a barrier between them are not supported");
    task->crossing = &task->team->crossings[task->bank][task->crossings_met++];
}

void __kmpc_doacross_fini(struct ident *place, int32_t id)
{
    (void)place, (void)id;
    struct task *task = dpor_omp_current();
    free(task->dimensions);
    task->dimensions = NULL;
}

/* The number of an iteration; -1 if the loop has no such iteration. */
static int64_t iteration_of(const struct task *task, const int64_t *vector)
{
    int64_t number = 0;
    for (int at = 0; at < task->dimensions_count; at++) {
        const struct dimension *one = &task->dimensions[at];
        bool is_up = one->step > 0;
        if (is_up ? vector[at] < one->lower || vector[at] > one->upper
                  : vector[at] > one->lower || vector[at] < one->upper)
            return -1;
        number = number * ((one->upper - one->lower) / one->step + 1) + (vector[at] - one->lower) / one->step;
    }
    return number;
}

void __kmpc_doacross_wait(struct ident *place, int32_t id, const int64_t *vector)
{
    (void)place, (void)id;
    struct task *task = dpor_omp_current();
    int64_t iteration = iteration_of(task, vector);
    if (iteration < 0 || !task->crossing)
        return;
    dpor_omp_await(&task->crossing->posts[iteration], 1);
}

void __kmpc_doacross_post(struct ident *place, int32_t id, const int64_t *vector)
{
    (void)place, (void)id;
    struct task *task = dpor_omp_current();
    int64_t iteration = iteration_of(task, vector);
    if (iteration >= 0 && task->crossing)
        atomic_store_explicit(&task->crossing->posts[iteration], 1, memory_order_release);
}
