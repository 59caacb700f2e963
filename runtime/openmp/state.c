/* The calling thread's task, its number, its worker, and what ends a program that asks for too much. */
#include "internal.h"
#include "settings.h"

#include <dpor.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread struct task *running;

/* What a thread is that no region made: a team of its own. */
static __thread struct task initial;
static __thread struct team alone;
static __thread struct worker root;
static __thread bool root_is_kept;

static pthread_key_t roots;

/* A thread of the program's own ends: its workers are not needed any more. */
static void end_root(void *worker) { dpor_omp_forget_worker(worker, false); }

__attribute__((constructor(101))) static void begin(void)
{
    dpor_omp_read_environment();
    pthread_key_create(&roots, end_root);
    root.is_initial = true;
    dpor_omp_remember_initial_values();
}

/* At the end of the process, unless it ends inside a region. */
__attribute__((destructor)) static void end(void)
{
    if (dpor_omp_current() == &initial)
        dpor_omp_forget_worker(&root, false);
}

struct task *dpor_omp_current(void)
{
    if (running)
        return running;
    alone.size = 1;
    alone.implicit = &initial;
    initial.team = &alone;
    initial.host = &initial;
    initial.settings = dpor_omp_first_settings;
    running = &initial;
    return running;
}

void dpor_omp_set_current(struct task *task) { running = task; }

_Noreturn void dpor_omp_unsupported(const char *what)
{
    char text[256];
    snprintf(text, sizeof text, "OpenMP: %s", what);
    dpor_unsupported(text);
    exit(4);
}

void *dpor_omp_allocate(size_t count, size_t size)
{
    /* Not calloc: the zeros in memory that was used before have to be seen. */
    void *memory = malloc(count ? count * size : 1);
    if (!memory)
        dpor_omp_unsupported("no memory is left for a team or a task");
    return memset(memory, 0, count * size);
}

void dpor_omp_create(pthread_t *thread, void *(*start)(void *), void *argument)
{
    if (pthread_create(thread, NULL, start, argument) != 0)
        dpor_omp_unsupported("no further thread can be created; fewer threads or tasks are needed");
}

void dpor_omp_join(pthread_t thread) { pthread_join(thread, NULL); }

/* Nothing but this one word is read in the loop, so that the search takes it for one wait. */
void dpor_omp_await(_Atomic uint64_t *word, uint64_t value)
{
    while (atomic_load_explicit(word, memory_order_acquire) != value)
        ;
}

/* A task that has no number takes any that is free. Under the checker each is tried, and where it is not
 * free the execution is left: another one takes it when it is. */
static void choose_number(struct task *host)
{
    struct team *team = host->team;
    if (dpor_checking()) {
        int number = dpor_choose(team->size);
        dpor_assume(sem_trywait(&team->free[number]) == 0);
        host->number = number;
        return;
    }
    for (int number = 0;; number = (number + 1) % team->size) {
        if (sem_trywait(&team->free[number]) == 0) {
            host->number = number;
            return;
        }
        dpor_yield();
    }
}

int dpor_omp_number_of(struct task *task)
{
    struct task *host = task->host;
    if (host->number < 0)
        choose_number(host);
    return host->number;
}

void dpor_omp_give_number(struct task *task)
{
    struct task *host = task->host;
    if (host->number >= 0 && host->team->size > 1)
        sem_post(&host->team->free[host->number]);
}

void dpor_omp_take_number(struct task *task)
{
    struct task *host = task->host;
    if (host->number < 0 || host->team->size == 1)
        return;
    while (sem_wait(&host->team->free[host->number]) != 0 && errno == EINTR)
        ;
}

struct worker *dpor_omp_root_worker(void)
{
    if (!root_is_kept) {
        root_is_kept = true;
        pthread_setspecific(roots, &root);
    }
    return &root;
}

struct worker *dpor_omp_worker_of(struct task *task)
{
    struct team *team = task->host->team;
    if (team->workers)
        return team->workers[dpor_omp_number_of(task)];
    return team->leader ? dpor_omp_worker_of(team->leader) : dpor_omp_root_worker();
}

void dpor_omp_forget_worker(struct worker *worker, bool itself)
{
    for (int at = 1; at < worker->members_count; at++)
        dpor_omp_forget_worker(worker->members[at], true);
    free(worker->members);
    while (worker->copies) {
        struct copy *next = worker->copies->next;
        if (worker->copies->destruct)
            worker->copies->destruct(worker->copies->bytes);
        free(worker->copies->bytes);
        free(worker->copies);
        worker->copies = next;
    }
    worker->members = NULL;
    worker->members_count = 0;
    if (itself)
        free(worker);
}
