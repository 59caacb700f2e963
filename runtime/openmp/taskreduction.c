/* task_reduction and in_reduction: each deferred task has its own copy; at the end of the taskgroup they are combined. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

void *__kmpc_taskred_init(int32_t id, int32_t count, void *data)
{
    (void)id;
    struct group *group = dpor_omp_current()->group;
    group->items = dpor_omp_allocate((size_t)count, sizeof *group->items);
    memcpy(group->items, data, sizeof *group->items * (size_t)count);
    group->items_count = count;
    return group;
}

static bool is_within(const void *address, const void *begin, size_t bytes)
{
    return (const char *)address >= (const char *)begin && (const char *)address < (const char *)begin + bytes;
}

static void *copy_of(struct task *task, struct group *group, struct reduction_item *item)
{
    struct reduction_copy *copy = task->reductions;
    for (; copy; copy = copy->next) {
        if (copy->item == item)
            return copy->bytes;
    }
    copy = dpor_omp_allocate(1, sizeof *copy);
    *copy = (struct reduction_copy){task->reductions, group, item, dpor_omp_allocate(1, item->size)};
    task->reductions = copy;
    if (item->initialize)
        item->initialize(copy->bytes, item->original);
    return copy->bytes;
}

void *__kmpc_task_reduction_get_th_data(int32_t id, void *named, void *address)
{
    (void)id;
    struct task *task = dpor_omp_current();
    struct group *group = named ? named : task->group;
    for (; group; group = group->outer) {
        for (int at = 0; at < group->items_count; at++) {
            struct reduction_item *item = &group->items[at];
            if (is_within(address, item->shared, item->size) || is_within(address, item->original, item->size))
                return copy_of(task, group, item);
        }
    }
    for (struct reduction_copy *copy = task->reductions; copy; copy = copy->next) {
        if (is_within(address, copy->bytes, copy->item->size))
            return copy->bytes;
    }
    dpor_omp_unsupported("in_reduction of a task inside one that reduces the same variable is not supported");
}

/* All tasks of the group are over, and what they have left is this task's. */
void dpor_omp_combine_reductions(struct task *task, struct group *group)
{
    struct reduction_copy **at = &task->reductions;
    while (*at) {
        struct reduction_copy *copy = *at;
        if (copy->group != group) {
            at = &copy->next;
            continue;
        }
        copy->item->combine(copy->item->shared, copy->bytes);
        if (copy->item->finalize)
            copy->item->finalize(copy->bytes);
        *at = copy->next;
        free(copy->bytes);
        free(copy);
    }
}

void *__kmpc_taskred_modifier_init(struct ident *place, int32_t id, int32_t is_loop, int32_t count, void *data)
{
    (void)place, (void)id, (void)is_loop, (void)count, (void)data;
    dpor_omp_unsupported("reduction with the modifier task is not supported");
}

void __kmpc_task_reduction_modifier_fini(struct ident *place, int32_t id, int32_t is_loop)
{
    (void)place, (void)id, (void)is_loop;
}
