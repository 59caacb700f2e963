/* taskloop: a task for each part of a loop. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { BY_GRAINSIZE = 1, BY_NUMBER = 2 };

/* How many tasks the loop becomes: without a clause, as many as the team has threads. */
static uint64_t parts(uint64_t trips, int32_t how, uint64_t amount)
{
    uint64_t wanted = (uint64_t)dpor_omp_current()->team->size;
    if (how == BY_NUMBER)
        wanted = amount;
    else if (how == BY_GRAINSIZE)
        wanted = amount ? trips / amount : trips;
    if (wanted == 0)
        wanted = 1;
    return wanted < trips ? wanted : trips;
}

static struct kmp_task *copy_of(struct task *pattern)
{
    struct kmp_task *kmp = dpor_omp_new_task(0, pattern->task_bytes, pattern->shareds_bytes, pattern->kmp->entry);
    void *shareds = kmp->shareds;
    memcpy(kmp, pattern->kmp, pattern->task_bytes);
    kmp->shareds = shareds;
    if (shareds)
        memcpy(shareds, pattern->kmp->shareds, pattern->shareds_bytes);
    dpor_omp_task_of(kmp)->is_final = pattern->is_final;
    return kmp;
}

void __kmpc_taskloop(struct ident *place, int32_t id, struct kmp_task *kmp, int32_t condition, uint64_t *lower,
                     uint64_t *upper, int64_t step, int32_t without_group, int32_t how, uint64_t amount,
                     void (*duplicate)(struct kmp_task *, struct kmp_task *, int32_t))
{
    struct task *pattern = dpor_omp_task_of(kmp);
    size_t lower_at = (size_t)((char *)lower - (char *)kmp), upper_at = (size_t)((char *)upper - (char *)kmp);
    uint64_t begin = *lower;
    /* Clang counts the iterations from 0, so the bounds are never above what is signed. */
    uint64_t trips = step > 0 ? (*upper - begin) / (uint64_t)step + 1 : (begin - *upper) / (uint64_t)-step + 1;
    if (step > 0 ? (int64_t)*upper < (int64_t)begin : (int64_t)*upper > (int64_t)begin)
        trips = 0;
    if (!without_group)
        __kmpc_taskgroup(place, id);
    uint64_t tasks = parts(trips, how, amount), each = tasks ? trips / tasks : 0, more = tasks ? trips % tasks : 0;
    for (uint64_t part = 0; part < tasks; part++) {
        uint64_t count = each + (part < more);
        struct kmp_task *made = copy_of(pattern);
        *(uint64_t *)(void *)((char *)made + lower_at) = begin;
        *(uint64_t *)(void *)((char *)made + upper_at) = begin + (count - 1) * (uint64_t)step;
        begin += count * (uint64_t)step;
        if (duplicate)
            duplicate(made, kmp, part + 1 == tasks);
        if (condition)
            dpor_omp_start_task(dpor_omp_task_of(made));
        else
            dpor_omp_run_here(dpor_omp_task_of(made));
    }
    if (!without_group)
        __kmpc_end_taskgroup(place, id);
    if (kmp->destructors)
        kmp->destructors(0, kmp);
    dpor_omp_forget_task(pattern);
}

void __kmpc_taskloop_5(struct ident *place, int32_t id, struct kmp_task *kmp, int32_t condition, uint64_t *lower,
                       uint64_t *upper, int64_t step, int32_t without_group, int32_t how, uint64_t amount,
                       int32_t is_strict, void (*duplicate)(struct kmp_task *, struct kmp_task *, int32_t))
{
    if (is_strict)
        dpor_omp_unsupported("grainsize(strict:) and num_tasks(strict:) are not supported");
    __kmpc_taskloop(place, id, kmp, condition, lower, upper, step, without_group, how, amount, duplicate);
}
