/* The functions of omp.h that ask and set; locks are in lock.c. */
#include "internal.h"
#include "settings.h"
#include "omp.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>

int omp_get_thread_num(void) { return dpor_omp_number_of(dpor_omp_current()); }
int omp_get_num_threads(void) { return dpor_omp_current()->team->size; }
int omp_get_max_threads(void) { return dpor_omp_current()->settings.threads; }

void omp_set_num_threads(int threads)
{
    if (threads > 0)
        dpor_omp_current()->settings.threads = threads;
}

/* The same on every machine, so that a check says the same. */
int omp_get_num_procs(void) { return dpor_omp_first_settings.threads; }
int omp_in_parallel(void) { return dpor_omp_current()->team->active_level > 0; }
void omp_set_dynamic(int dynamic) { dpor_omp_current()->settings.dynamic = dynamic != 0; }
int omp_get_dynamic(void) { return dpor_omp_current()->settings.dynamic; }
void omp_set_nested(int nested) { dpor_omp_current()->settings.active_levels_max = nested ? INT_MAX : 1; }
int omp_get_nested(void) { return dpor_omp_current()->settings.active_levels_max > 1; }
int omp_get_cancellation(void) { return 0; }

void omp_set_schedule(omp_sched_t schedule, int chunk)
{
    static const int schedules[] = {
        [omp_sched_static] = SCHEDULE_STATIC, [omp_sched_dynamic] = SCHEDULE_DYNAMIC,
        [omp_sched_guided] = SCHEDULE_GUIDED, [omp_sched_auto] = SCHEDULE_AUTO,
    };
    int kind = (int)schedule & INT_MAX;
    if (kind < omp_sched_static || kind > omp_sched_auto)
        return;
    dpor_omp_current()->settings.schedule = schedules[kind];
    dpor_omp_current()->settings.chunk = chunk;
}

void omp_get_schedule(omp_sched_t *schedule, int *chunk)
{
    switch (dpor_omp_current()->settings.schedule) {
    case SCHEDULE_DYNAMIC: *schedule = omp_sched_dynamic; break;
    case SCHEDULE_GUIDED: *schedule = omp_sched_guided; break;
    case SCHEDULE_AUTO: *schedule = omp_sched_auto; break;
    default: *schedule = omp_sched_static; break;
    }
    *chunk = dpor_omp_current()->settings.chunk;
}

int omp_get_thread_limit(void) { return INT_MAX; }
int omp_get_supported_active_levels(void) { return INT_MAX; }

void omp_set_max_active_levels(int levels)
{
    if (levels >= 0)
        dpor_omp_current()->settings.active_levels_max = levels;
}

int omp_get_max_active_levels(void) { return dpor_omp_current()->settings.active_levels_max; }
int omp_get_level(void) { return dpor_omp_current()->team->level; }
int omp_get_active_level(void) { return dpor_omp_current()->team->active_level; }

/* The task that is, or made, the region of a level; null if there is none. */
static struct task *at_level(int level)
{
    struct task *task = dpor_omp_current();
    if (level < 0 || level > task->team->level)
        return NULL;
    while (task->team->level > level)
        task = task->team->leader;
    return task;
}

int omp_get_ancestor_thread_num(int level)
{
    struct task *task = at_level(level);
    return task ? dpor_omp_number_of(task) : -1;
}

int omp_get_team_size(int level)
{
    struct task *task = at_level(level);
    return task ? task->team->size : -1;
}

int omp_in_final(void) { return dpor_omp_current()->is_final; }
omp_proc_bind_t omp_get_proc_bind(void) { return omp_proc_bind_false; }
int omp_get_num_places(void) { return 0; }
int omp_get_place_num(void) { return -1; }
int omp_get_num_devices(void) { return 0; }
int omp_get_default_device(void) { return 0; }
void omp_set_default_device(int device) { (void)device; }
int omp_get_initial_device(void) { return 0; }
int omp_is_initial_device(void) { return 1; }
int omp_get_num_teams(void) { return 1; }
int omp_get_team_num(void) { return 0; }
int omp_get_max_task_priority(void) { return 0; }

double omp_get_wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double omp_get_wtick(void) { return 1e-9; }

void *omp_alloc(size_t bytes, omp_allocator_handle_t allocator)
{
    (void)allocator;
    return malloc(bytes);
}

void omp_free(void *memory, omp_allocator_handle_t allocator)
{
    (void)allocator;
    free(memory);
}

void *__kmpc_alloc(int32_t id, size_t bytes, void *allocator)
{
    (void)id, (void)allocator;
    return malloc(bytes);
}

void *__kmpc_aligned_alloc(int32_t id, size_t alignment, size_t bytes, void *allocator)
{
    (void)id, (void)allocator;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void __kmpc_free(int32_t id, void *memory, void *allocator)
{
    (void)id, (void)allocator;
    free(memory);
}
