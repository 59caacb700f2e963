/* depend: which of its siblings a task waits for.
 *
 * For each address, the tasks that named it last are a generation, in which none waits for another: one
 * `out` or `inout`, or any number of `in`, of `mutexinoutset` or of `inoutset`. A new task joins the
 * generation of its own kind or begins one; it waits for all tasks of the generation before its own. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct dependence {               /* as the compiler lays it out */
    intptr_t address;
    size_t bytes;
    uint8_t flags;
};

enum kind { KIND_IN = 1, KIND_OUT = 2, KIND_INOUT = 3, KIND_MUTEX = 4, KIND_SET = 8 };

struct list { struct task **tasks; int count; };

struct entry {
    intptr_t address;
    int kind;
    struct list latest, before;
    pthread_mutex_t *mutex;       /* of the tasks of a mutexinoutset */
};

struct dependences {              /* of the children of one task: only this task uses it */
    struct entry *entries;
    int count;
    struct dependences *left;     /* of tasks that are over, whose children may run */
};

static void add(struct task ***tasks, int *count, struct task *task)
{
    for (int at = 0; at < *count; at++) {
        if ((*tasks)[at] == task)
            return;
    }
    *tasks = realloc(*tasks, sizeof **tasks * (size_t)(*count + 1));
    if (!*tasks)
        dpor_omp_unsupported("no memory is left for a team or a task");
    (*tasks)[(*count)++] = task;
}

static struct entry *entry_of(struct task *parent, intptr_t address)
{
    if (!parent->dependences)
        parent->dependences = dpor_omp_allocate(1, sizeof *parent->dependences);
    struct dependences *all = parent->dependences;
    for (int at = 0; at < all->count; at++) {
        if (all->entries[at].address == address)
            return &all->entries[at];
    }
    all->entries = realloc(all->entries, sizeof *all->entries * (size_t)(all->count + 1));
    if (!all->entries)
        dpor_omp_unsupported("no memory is left for a team or a task");
    struct entry *entry = &all->entries[all->count++];
    *entry = (struct entry){.address = address};
    return entry;
}

static void hold_exclusively(struct task *task, struct entry *entry)
{
    if (!entry->mutex) {
        entry->mutex = dpor_omp_allocate(1, sizeof *entry->mutex);
        pthread_mutex_init(entry->mutex, NULL);
    }
    task->exclusive = realloc(task->exclusive, sizeof *task->exclusive * (size_t)(task->exclusive_count + 1));
    if (!task->exclusive)
        dpor_omp_unsupported("no memory is left for a team or a task");
    int at = task->exclusive_count++;
    for (; at > 0 && task->exclusive[at - 1] > entry->mutex; at--)
        task->exclusive[at] = task->exclusive[at - 1];
    task->exclusive[at] = entry->mutex;
}

/* What the task says of an address, by all its clauses; 0 if it was looked at with an earlier one. */
static int kind_of(const struct dependence *list, int count, int at)
{
    int flags = 0;
    for (int one = 0; one < count; one++) {
        if (list[one].address != list[at].address)
            continue;
        if (one < at)
            return 0;
        flags |= list[one].flags & (KIND_INOUT | KIND_MUTEX | KIND_SET);
    }
    bool is_one = flags == KIND_IN || flags == KIND_MUTEX || flags == KIND_SET;
    return is_one ? flags : KIND_OUT;
}

static void wait_for_all(struct task *task, const struct list *list)
{
    for (int one = 0; one < list->count; one++) {
        if (list->tasks[one] != task)
            add(&task->predecessors, &task->predecessors_count, list->tasks[one]);
    }
}

/* Finds those that `task` waits for; where `joins`, later tasks wait for it. */
static void depend(struct task *parent, struct task *task, int count, const struct dependence *list, bool joins)
{
    for (int at = 0; at < count; at++) {
        if (!list[at].address)
            dpor_omp_unsupported("depend on all memory is not supported");
        int kind = kind_of(list, count, at);
        if (!kind)
            continue;
        struct entry *entry = entry_of(parent, list[at].address);
        bool is_alike = kind == entry->kind && kind != KIND_OUT;
        wait_for_all(task, is_alike ? &entry->before : &entry->latest);
        if (!joins) {
            /* It runs here and holds no mutex of theirs. */
            if (kind == KIND_MUTEX)
                wait_for_all(task, &entry->latest);
            continue;
        }
        if (!is_alike) {
            free(entry->before.tasks);
            entry->before = entry->latest;
            entry->latest = (struct list){0};
            entry->kind = kind;
        }
        add(&entry->latest.tasks, &entry->latest.count, task);
        if (kind == KIND_MUTEX)
            hold_exclusively(task, entry);
    }
}

static void forget_one(struct dependences *all)
{
    for (int at = 0; at < all->count; at++) {
        free(all->entries[at].latest.tasks);
        free(all->entries[at].before.tasks);
        if (all->entries[at].mutex)
            pthread_mutex_destroy(all->entries[at].mutex);
        free(all->entries[at].mutex);
    }
    free(all->entries);
    free(all);
}

void dpor_omp_forget_dependences(struct task *task)
{
    while (task->dependences) {
        struct dependences *left = task->dependences->left;
        forget_one(task->dependences);
        task->dependences = left;
    }
}

void dpor_omp_keep_dependences(struct task *from, struct task *to)
{
    if (!from->dependences)
        return;
    if (!to->dependences)
        to->dependences = dpor_omp_allocate(1, sizeof *to->dependences);
    struct dependences **end = &to->dependences->left;
    while (*end)
        end = &(*end)->left;
    *end = from->dependences;
    from->dependences = NULL;
}

void dpor_omp_wait_for_predecessors(struct task *task)
{
    for (int at = 0; at < task->predecessors_count; at++)
        dpor_omp_await(&task->predecessors[at]->done, 1);
}

int32_t __kmpc_omp_task_with_deps(struct ident *place, int32_t id, struct kmp_task *kmp, int32_t count,
                                  const struct dependence *list, int32_t more, const struct dependence *others)
{
    (void)place, (void)id;
    struct task *parent = dpor_omp_current(), *task = dpor_omp_task_of(kmp);
    if (!parent->is_final && task->team->size > 1) {
        task->has_dependences = true;
        depend(parent, task, count, list, true);
        depend(parent, task, more, others, true);
    }
    dpor_omp_start_task(task);
    return 0;
}

static void wait_here(int32_t count, const struct dependence *list, int32_t more, const struct dependence *others)
{
    struct task *parent = dpor_omp_current();
    struct task *waiting = dpor_omp_allocate(1, sizeof *waiting);
    depend(parent, waiting, count, list, false);
    depend(parent, waiting, more, others, false);
    dpor_omp_give_number(parent);
    dpor_omp_wait_for_predecessors(waiting);
    dpor_omp_take_number(parent);
    dpor_omp_forget_task(waiting);
}

void __kmpc_omp_wait_deps(struct ident *place, int32_t id, int32_t count, const struct dependence *list, int32_t more,
                          const struct dependence *others)
{
    (void)place, (void)id;
    wait_here(count, list, more, others);
}

void __kmpc_omp_taskwait_deps_51(struct ident *place, int32_t id, int32_t count, const struct dependence *list,
                                 int32_t more, const struct dependence *others, int32_t nowait)
{
    (void)place, (void)id;
    if (nowait)
        dpor_omp_unsupported("taskwait with nowait is not supported");
    wait_here(count, list, more, others);
}
