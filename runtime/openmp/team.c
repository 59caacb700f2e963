/* Parallel regions: a thread for each further member of the team, joined at the end. */
#include "internal.h"
#include "settings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Arguments beyond those that a function has do no harm in the calling convention of x86-64: the caller
 * takes them away again. So three lengths serve all. */
#define FEW 8
#define SOME 32
#define MANY 128

#define A4(a, i) a[i], a[i + 1], a[i + 2], a[i + 3]
#define A8(a, i) A4(a, i), A4(a, i + 4)
#define A32(a, i) A8(a, i), A8(a, i + 8), A8(a, i + 16), A8(a, i + 24)
#define P8 void *, void *, void *, void *, void *, void *, void *, void *
#define P32 P8, P8, P8, P8

static void invoke(void (*microtask)(void), int count, void **a)
{
    int32_t id = 0, bound = 0;
    if (count <= FEW)
        ((void (*)(int32_t *, int32_t *, P8))microtask)(&id, &bound, A8(a, 0));
    else if (count <= SOME)
        ((void (*)(int32_t *, int32_t *, P32))microtask)(&id, &bound, A32(a, 0));
    else
        ((void (*)(int32_t *, int32_t *, P32, P32, P32, P32))microtask)(
            &id, &bound, A32(a, 0), A32(a, 32), A32(a, 64), A32(a, 96));
}

/* The arguments, filled up with nulls. */
static void **padded(int count, void **arguments)
{
    if (count > MANY)
        dpor_omp_unsupported("a region with more than 128 shared variables is not supported");
    void **all = dpor_omp_allocate(count <= FEW ? FEW : count <= SOME ? SOME : MANY, sizeof *all);
    memcpy(all, arguments, sizeof *all * (size_t)count);
    return all;
}

static struct team *new_team(struct task *leader, int size)
{
    struct team *team = dpor_omp_allocate(1, sizeof *team);
    team->size = size;
    team->level = leader->team->level + 1;
    team->active_level = leader->team->active_level + (size > 1);
    team->leader = leader;
    team->implicit = dpor_omp_allocate((size_t)size, sizeof *team->implicit);
    for (int number = 0; number < size; number++) {
        struct task *task = &team->implicit[number];
        task->team = team;
        task->number = number;
        task->host = task;
        task->settings = leader->settings;
        int listed = dpor_omp_threads_of_level(team->level);
        if (listed)
            task->settings.threads = listed;
    }
    team->implicit[0].outer = leader;
    if (size == 1)
        return team;
    pthread_barrier_init(&team->barrier, NULL, (unsigned)size);
    team->constructs = dpor_omp_allocate(2, sizeof *team->constructs);
    team->crossings = dpor_omp_allocate(2, sizeof *team->crossings);
    team->free = dpor_omp_allocate((size_t)size, sizeof *team->free);
    for (int number = 0; number < size; number++)
        sem_init(&team->free[number], 0, 0);
    return team;
}

/* The workers that the leader leads; those there are not yet are made. */
static struct worker **workers_of(struct task *leader, int size)
{
    struct worker *worker = dpor_omp_worker_of(leader);
    if (worker->members_count < size) {
        worker->members = realloc(worker->members, sizeof *worker->members * (size_t)size);
        if (!worker->members)
            dpor_omp_unsupported("no memory is left for a team or a task");
        worker->members[0] = worker;
        int at = worker->members_count ? worker->members_count : 1;
        for (; at < size; at++)
            worker->members[at] = dpor_omp_allocate(1, sizeof **worker->members);
        worker->members_count = size;
    }
    return worker->members;
}

static void forget_team(struct team *team)
{
    if (team->size > 1) {
        pthread_barrier_destroy(&team->barrier);
        for (int number = 0; number < team->size; number++)
            sem_destroy(&team->free[number]);
        free(team->free);
        free(team->constructs);
        free(team->crossings);
    }
    free(team->implicit);
    free(team->arguments);
    free(team);
}

static void run_member(struct task *task)
{
    struct team *team = task->team;
    dpor_omp_set_current(task);
    invoke(team->microtask, team->arguments_count, team->arguments);
    dpor_omp_give_number(task);
    dpor_omp_finish(task, 0, false);
}

static void *member(void *task)
{
    run_member(task);
    return NULL;
}

void dpor_omp_fork_team(void (*microtask)(void), int count, void **arguments, int threads)
{
    struct task *leader = dpor_omp_current();
    struct team *team = new_team(leader, threads);
    team->microtask = microtask;
    team->arguments = padded(count, arguments);
    team->arguments_count = count;
    if (threads > 1)
        team->workers = workers_of(leader, threads);
    for (int number = 1; number < threads; number++)
        dpor_omp_create(&team->implicit[number].thread, member, &team->implicit[number]);
    run_member(&team->implicit[0]);
    for (int number = 1; number < threads; number++)
        dpor_omp_join(team->implicit[number].thread);
    dpor_omp_set_current(leader);
    forget_team(team);
}

/* The bank that the threads of the team have used since the barrier before. */
static void clear(struct team *team, const struct task *task)
{
    for (unsigned at = 0; at < task->constructs_met; at++) {
        struct construct *used = &team->constructs[task->bank][at];
        atomic_store_explicit(&used->taken, 0, memory_order_relaxed);
        atomic_store_explicit(&used->ordered, 0, memory_order_relaxed);
    }
    for (unsigned at = 0; at < task->crossings_met; at++) {
        for (int post = 0; post < POSTS_MAX; post++)
            atomic_store_explicit(&team->crossings[task->bank][at].posts[post], 0, memory_order_relaxed);
    }
}

void dpor_omp_barrier(struct task *task)
{
    struct team *team = task->team;
    if (task->is_explicit || task->host != task)
        dpor_omp_unsupported("a barrier in a task is not allowed");
    dpor_omp_give_number(task);
    dpor_omp_finish(task, 0, false);
    if (team->size > 1)
        pthread_barrier_wait(&team->barrier);
    dpor_omp_take_number(task);
    if (team->size == 1)
        return;
    /* What was used before this barrier is used again behind the next one. */
    if (task->number == 0)
        clear(team, task);
    task->constructs_met = task->crossings_met = 0;
    task->bank ^= 1;
}

/* How many threads the next region of a task gets. */
static int threads_for(struct task *task)
{
    int threads = task->pushed_threads ? task->pushed_threads : task->settings.threads;
    task->pushed_threads = 0;
    return task->team->active_level >= task->settings.active_levels_max ? 1 : threads;
}

void __kmpc_fork_call(struct ident *place, int32_t count, void (*microtask)(void), ...)
{
    (void)place;
    void *arguments[MANY];
    if (count > MANY)
        dpor_omp_unsupported("a region with more than 128 shared variables is not supported");
    va_list list;
    va_start(list, microtask);
    for (int32_t at = 0; at < count; at++)
        arguments[at] = va_arg(list, void *);
    va_end(list);
    dpor_omp_fork_team(microtask, count, arguments, threads_for(dpor_omp_current()));
}

void __kmpc_fork_call_if(struct ident *place, int32_t count, void (*microtask)(void), int32_t condition, void *argument)
{
    (void)place;
    int threads = threads_for(dpor_omp_current());
    dpor_omp_fork_team(microtask, count ? 1 : 0, &argument, condition ? threads : 1);
}

/* The region's code is called by the caller itself. */
void __kmpc_serialized_parallel(struct ident *place, int32_t id)
{
    (void)place, (void)id;
    struct task *leader = dpor_omp_current();
    leader->pushed_threads = 0;
    dpor_omp_set_current(&new_team(leader, 1)->implicit[0]);
}

void __kmpc_end_serialized_parallel(struct ident *place, int32_t id)
{
    (void)place, (void)id;
    struct task *task = dpor_omp_current();
    dpor_omp_finish(task, 0, false);
    dpor_omp_set_current(task->outer);
    forget_team(task->team);
}

void __kmpc_push_num_threads(struct ident *place, int32_t id, int32_t threads)
{
    (void)place, (void)id;
    dpor_omp_current()->pushed_threads = threads > 0 ? threads : 0;
}

void __kmpc_push_num_threads_strict(struct ident *place, int32_t id, int32_t threads, int severity, const char *message)
{
    (void)severity, (void)message;
    __kmpc_push_num_threads(place, id, threads);
}

void __kmpc_push_proc_bind(struct ident *place, int32_t id, int32_t how) { (void)place, (void)id, (void)how; }

int32_t __kmpc_global_thread_num(struct ident *place)
{
    (void)place;
    /* Only the runtime uses it, and knows the thread without. */
    return 0;
}

int32_t __kmpc_global_num_threads(struct ident *place)
{
    (void)place;
    return dpor_omp_current()->team->size;
}

void __kmpc_begin(struct ident *place, int32_t flags) { (void)place, (void)flags; }
void __kmpc_end(struct ident *place) { (void)place; }
