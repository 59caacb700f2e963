/* Explicit tasks, taskwait, taskgroup.
 *
 * A deferred task is a pthread. Who waits for it joins it: its creator in a taskwait, or at the next
 * barrier or the end of the region, where whoever joined a task has taken over those that this one made.
 * So tasks cost no operation but pthread_create and pthread_join. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum task_flag { TASK_FINAL = 2, TASK_DESTRUCTORS = 8, TASK_DETACHABLE = 64 };

/* In front of what the compiler sees of a task. */
#define HEADER ((sizeof(struct task) + 15) / 16 * 16)

struct task *dpor_omp_task_of(struct kmp_task *kmp) { return (struct task *)(void *)((char *)kmp - HEADER); }

struct kmp_task *dpor_omp_new_task(int32_t flags, size_t bytes, size_t shareds, int32_t (*entry)(int32_t, struct kmp_task *))
{
    if (flags & TASK_DETACHABLE)
        dpor_omp_unsupported("detach is not supported");
    struct task *maker = dpor_omp_current();
    size_t body = (bytes + 15) / 16 * 16;
    struct task *task = dpor_omp_allocate(1, HEADER + body + shareds);
    task->kmp = (struct kmp_task *)(void *)((char *)task + HEADER);
    task->kmp->entry = entry;
    task->kmp->shareds = shareds ? (char *)task->kmp + body : NULL;
    task->task_bytes = body;
    task->shareds_bytes = shareds;
    task->team = maker->team;
    task->number = -1;
    task->settings = maker->settings;
    task->is_explicit = true;
    task->is_final = maker->is_final || (flags & TASK_FINAL);
    if (!(flags & TASK_DESTRUCTORS))
        task->kmp->destructors = NULL;
    task->outer = maker;
    task->group = maker->group;
    return task->kmp;
}

void dpor_omp_forget_task(struct task *task)
{
    free(task->predecessors);
    free(task->exclusive);
    free(task);
}

/* Behind a member of the list there may be more of the same. */
static void append(struct task **list, struct task *more)
{
    while (*list)
        list = &(*list)->next;
    *list = more;
}

/* What a task that is over has left: tasks that still run and its share of reductions. */
void dpor_omp_hand_over(struct task *from, struct task *to, int depth)
{
    for (struct task *child = from->children; child; child = child->next) {
        child->is_direct = false;
        child->depth = depth;
    }
    append(&to->children, from->children);
    append(&to->retired, from->retired);
    from->children = from->retired = NULL;
    struct reduction_copy **end = &to->reductions;
    while (*end)
        end = &(*end)->next;
    *end = from->reductions;
    from->reductions = NULL;
    /* Its children may still hold mutexes of these. */
    dpor_omp_keep_dependences(from, to);
}

/* Joins the tasks that were made in the taskgroups of this depth and deeper, and all that those left behind. */
void dpor_omp_finish(struct task *task, int depth, bool only_direct)
{
    struct task **at = &task->children;
    while (*at) {
        struct task *child = *at;
        if (child->depth < depth || (only_direct && !child->is_direct)) {
            at = &child->next;
            continue;
        }
        dpor_omp_join(child->thread);
        *at = child->next;
        child->next = task->retired;
        task->retired = child;
        int deep = child->depth;
        dpor_omp_hand_over(child, task, deep);
        /* What it left is at the end of the list, or this is the end. */
    }
    if (task->children)
        return;
    /* Nobody looks at these any more. */
    while (task->retired) {
        struct task *next = task->retired->next;
        dpor_omp_forget_task(task->retired);
        task->retired = next;
    }
    dpor_omp_forget_dependences(task);
}

static void run_body(struct task *task)
{
    struct kmp_task *kmp = task->kmp;
    do {
        task->again = false;
        kmp->entry(0, kmp);
    } while (task->again);
    if (kmp->destructors)
        kmp->destructors(0, kmp);
}

static void *deferred(void *made)
{
    struct task *task = made;
    dpor_omp_set_current(task);
    dpor_omp_wait_for_predecessors(task);
    for (int at = 0; at < task->exclusive_count; at++)
        pthread_mutex_lock(task->exclusive[at]);
    run_body(task);
    for (int at = task->exclusive_count; at-- > 0;)
        pthread_mutex_unlock(task->exclusive[at]);
    dpor_omp_give_number(task);
    if (task->has_dependences)
        atomic_store_explicit(&task->done, 1, memory_order_release);
    return NULL;
}

static void begin_here(struct task *made)
{
    struct task *outer = dpor_omp_current();
    made->outer = outer;
    made->host = outer->host;
    dpor_omp_set_current(made);
}

static void end_here(struct task *made)
{
    struct task *outer = made->outer;
    dpor_omp_set_current(outer);
    dpor_omp_hand_over(made, outer, outer->group ? outer->group->depth : 0);
    dpor_omp_forget_task(made);
}

void dpor_omp_run_here(struct task *made)
{
    begin_here(made);
    run_body(made);
    end_here(made);
}

/* Runs it at once where it is included in a final task, or where the team has no other thread. */
void dpor_omp_start_task(struct task *made)
{
    struct task *maker = dpor_omp_current();
    if (maker->is_final || made->team->size == 1) {
        dpor_omp_run_here(made);
        return;
    }
    made->host = made;
    made->is_direct = true;
    made->depth = maker->group ? maker->group->depth : 0;
    made->next = maker->children;
    maker->children = made;
    dpor_omp_create(&made->thread, deferred, made);
}

struct kmp_task *__kmpc_omp_task_alloc(struct ident *place, int32_t id, int32_t flags, size_t bytes, size_t shareds,
                                       int32_t (*entry)(int32_t, struct kmp_task *))
{
    (void)place, (void)id;
    return dpor_omp_new_task(flags, bytes, shareds, entry);
}

int32_t __kmpc_omp_task(struct ident *place, int32_t id, struct kmp_task *kmp)
{
    (void)place, (void)id;
    struct task *made = dpor_omp_task_of(kmp);
    if (made == dpor_omp_current())
        made->again = true; /* An untied task, behind a place where it may change threads. */
    else
        dpor_omp_start_task(made);
    return 0;
}

int32_t __kmpc_omp_task_parts(struct ident *place, int32_t id, struct kmp_task *kmp)
{
    return __kmpc_omp_task(place, id, kmp);
}

void __kmpc_omp_task_begin_if0(struct ident *place, int32_t id, struct kmp_task *kmp)
{
    (void)place, (void)id;
    begin_here(dpor_omp_task_of(kmp));
}

void __kmpc_omp_task_complete_if0(struct ident *place, int32_t id, struct kmp_task *kmp)
{
    (void)place, (void)id;
    end_here(dpor_omp_task_of(kmp));
}

int32_t __kmpc_omp_taskwait(struct ident *place, int32_t id)
{
    (void)place, (void)id;
    struct task *task = dpor_omp_current();
    dpor_omp_give_number(task);
    dpor_omp_finish(task, 0, true);
    dpor_omp_take_number(task);
    return 0;
}

/* Tasks run beside each other whether one gives way or not. */
int32_t __kmpc_omp_taskyield(struct ident *place, int32_t id, int part) { return (void)place, (void)id, (void)part, 0; }

int32_t __kmpc_omp_reg_task_with_affinity(struct ident *place, int32_t id, struct kmp_task *kmp, int32_t count,
                                          void *places)
{
    return (void)place, (void)id, (void)kmp, (void)count, (void)places, 0;
}

void __kmpc_taskgroup(struct ident *place, int32_t id)
{
    (void)place, (void)id;
    struct task *task = dpor_omp_current();
    struct group *group = dpor_omp_allocate(1, sizeof *group);
    group->outer = task->group;
    group->depth = task->group ? task->group->depth + 1 : 1;
    task->group = group;
}

void __kmpc_end_taskgroup(struct ident *place, int32_t id)
{
    (void)place, (void)id;
    struct task *task = dpor_omp_current();
    struct group *group = task->group;
    dpor_omp_give_number(task);
    dpor_omp_finish(task, group->depth, false);
    dpor_omp_take_number(task);
    dpor_omp_combine_reductions(task, group);
    task->group = group->outer;
    free(group->items);
    free(group);
}
