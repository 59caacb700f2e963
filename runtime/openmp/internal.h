/* What the files of the OpenMP runtime share.
 *
 * The runtime is compiled by dpor-cc, as the program is: what its threads do to each other are ordinary
 * operations of pthreads and C11 atomics, which the search orders. So each of them costs executions,
 * and the runtime has as few as it can: a region is a pthread_create and a pthread_join for each further
 * thread, a static loop is none at all, a loop whose chunks are dealt out is one relaxed atomic operation
 * for each chunk, a deferred task is a thread of its own.
 *
 *   worker   a thread as OpenMP numbers it: what lasts from one region to the next (threadprivate copies)
 *   team     the threads of one region
 *   task     what runs: the implicit task of each thread of a team, and explicit tasks
 *
 * A deferred task is a pthread of its own. It has no number until it asks for one (omp_get_thread_num, a
 * threadprivate variable); then it takes one of those that are free, which are those of the threads that
 * wait in a barrier, a taskwait, the end of a taskgroup or of the region.
 */
#ifndef DPOR_OPENMP_INTERNAL_H
#define DPOR_OPENMP_INTERNAL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the compiler says of the place of a call; `flags` are the only field that is used. */
struct ident {
    int32_t reserved_1;
    int32_t flags;
    int32_t reserved_2, reserved_3;
    const char *text;
};

/* Bit of `ident.flags`: the reduction may also be done by atomic operations. */
#define IDENT_ATOMIC_REDUCTION 0x10

/* Loops with a counter, and singles, that may be under way between two barriers. */
#define CONSTRUCTS_MAX 64
/* Loops with ordered(n) that may be under way between two barriers, and the iterations of one. */
#define CROSSINGS_MAX 4
#define POSTS_MAX 64

/* What threads share of one loop or one single. All zeros before it begins. */
struct construct {
    _Atomic uint64_t taken;           /* chunks that were taken; 1: the single has its thread */
    _Atomic uint64_t ordered;         /* iterations whose ordered region is over */
};

/* The same of a loop with ordered(n): iterations that are posted. */
struct crossing {
    _Atomic uint64_t posts[POSTS_MAX];
};

struct copy {
    struct copy *next;
    const void *variable;
    void *bytes;
    void (*destruct)(void *);
};

struct worker {
    struct copy *copies;      /* its threadprivate variables; the initial thread has the variables themselves */
    bool is_initial;
    struct worker **members;  /* of the teams that it leads; members[0] is the worker itself */
    int members_count;
};

/* Settings that a task hands to those that it makes ("internal control variables"). */
struct settings {
    int threads;
    int active_levels_max;
    bool dynamic;
    int schedule;             /* OMP_SCHEDULE, of `enum schedule` */
    int chunk;
};

struct task;

struct team {
    int size;
    int level, active_level;
    struct task *leader;          /* the task that met the region */
    struct worker **workers;      /* null: the leader's own, looked up when it is asked for */
    struct task *implicit;        /* `size` of them */
    sem_t *free;                  /* for each number, whether a task may take it */
    pthread_barrier_t barrier;
    struct construct (*constructs)[CONSTRUCTS_MAX]; /* two banks: one in use, one that is cleared */
    struct crossing (*crossings)[CROSSINGS_MAX];    /* likewise */
    void *copyprivate;
    void **arguments;
    int arguments_count;
    void (*microtask)(void);
};

enum schedule {
    SCHEDULE_STATIC_CHUNKED = 33,
    SCHEDULE_STATIC = 34,
    SCHEDULE_DYNAMIC = 35,
    SCHEDULE_GUIDED = 36,
    SCHEDULE_RUNTIME = 37,
    SCHEDULE_AUTO = 38,
    SCHEDULE_ORDERED = 32,        /* what is added for a loop with `ordered` */
    SCHEDULE_MODIFIERS = (int)0xe0000000, /* monotonic, nonmonotonic and the like */
};

/* One thread's view of a loop whose chunks are asked for. */
struct loop {
    int schedule;
    uint64_t trips, chunk, chunks;
    uint64_t first;               /* value of the first iteration, and the step, as 64 bits */
    uint64_t step;
    uint64_t next;                /* next chunk of this thread, where chunks are not dealt out */
    bool is_over;
    bool is_ordered;
    uint64_t iteration;           /* the one that runs, counted from 0 */
    bool was_ordered;             /* its ordered region is over */
    struct construct *construct;
};

struct dimension { int64_t lower, upper, step; };

struct kmp_task {                 /* as the compiler lays it out; private variables follow */
    void *shareds;
    int32_t (*entry)(int32_t, struct kmp_task *);
    int32_t part;
    int32_t (*destructors)(int32_t, struct kmp_task *);
    void *data;
};

struct reduction_item {           /* as the compiler lays it out */
    void *shared, *original;
    size_t size;
    void (*initialize)(void *, void *);
    void (*finalize)(void *);
    void (*combine)(void *, void *);
    uint32_t flags;
};

struct group {                    /* a taskgroup */
    struct group *outer;
    int depth;
    struct reduction_item *items;
    int items_count;
};

struct reduction_copy {           /* one task's copy of what a taskgroup reduces */
    struct reduction_copy *next;
    struct group *group;
    struct reduction_item *item;
    void *bytes;
};

struct task {
    struct team *team;
    int number;                   /* in the team; -1: none yet */
    struct task *host;            /* whose thread this is: itself, or where it is not deferred, another's */
    struct task *outer;           /* the task whose thread goes on after it */
    struct settings settings;
    bool is_explicit, is_final;
    bool again;                   /* an untied task said that it is to be called again */
    /* constructs */
    unsigned constructs_met;      /* since the last barrier */
    unsigned bank;
    unsigned crossings_met;
    struct construct own;         /* where the team has one thread */
    struct loop loop;
    struct dimension *dimensions;
    int dimensions_count;
    struct crossing *crossing;    /* none where the team has one thread */
    bool reduction_is_locked;
    int pushed_threads;           /* num_threads of the next region; 0: not said */
    /* tasks */
    struct group *group;
    struct task *children;        /* started, not joined; the latest first */
    struct task *retired;         /* joined, and kept as long as siblings may look at `done` */
    struct task *next;            /* of the list it is in */
    struct reduction_copy *reductions;
    pthread_t thread;
    bool is_direct;               /* its creator waits for it, not one that took it over */
    int depth;                    /* taskgroups of its creator that it is in */
    struct dependences *dependences; /* of its children */
    struct task **predecessors;
    int predecessors_count;
    pthread_mutex_t **exclusive;  /* those of mutexinoutset, in the order of their addresses */
    int exclusive_count;
    bool has_dependences;
    _Atomic uint64_t done;           /* said where it has dependences */
    size_t task_bytes, shareds_bytes;
    struct kmp_task *kmp;
};

/* The calling thread's task. Its sources: state.c. */
struct task *dpor_omp_current(void);
void dpor_omp_set_current(struct task *);
void *dpor_omp_allocate(size_t count, size_t size);  /* zeros; says so and ends if there is no memory */
_Noreturn void dpor_omp_unsupported(const char *what);
void dpor_omp_create(pthread_t *, void *(*)(void *), void *argument);
void dpor_omp_join(pthread_t);
void dpor_omp_await(_Atomic uint64_t *, uint64_t value); /* acquires */
int dpor_omp_number_of(struct task *);               /* takes a number if it has none */
void dpor_omp_give_number(struct task *);            /* others may use it ... */
void dpor_omp_take_number(struct task *);            /* ... until here */
struct worker *dpor_omp_worker_of(struct task *);
struct worker *dpor_omp_root_worker(void);
void dpor_omp_forget_worker(struct worker *, bool itself);

/* tasks.c */
void dpor_omp_finish(struct task *, int depth, bool only_direct); /* waits for tasks that it made */
void dpor_omp_hand_over(struct task *from, struct task *to, int depth);
void dpor_omp_start_task(struct task *made);
void dpor_omp_run_here(struct task *made);
struct task *dpor_omp_task_of(struct kmp_task *);
struct kmp_task *dpor_omp_new_task(int32_t flags, size_t bytes, size_t shareds,
                          int32_t (*entry)(int32_t, struct kmp_task *));
void dpor_omp_forget_task(struct task *);

void __kmpc_taskgroup(struct ident *, int32_t);
void __kmpc_end_taskgroup(struct ident *, int32_t);

/* depend.c */
void dpor_omp_wait_for_predecessors(struct task *);
void dpor_omp_forget_dependences(struct task *);
void dpor_omp_keep_dependences(struct task *from, struct task *to);

/* taskreduction.c */
void dpor_omp_combine_reductions(struct task *, struct group *);

/* team.c */
void dpor_omp_barrier(struct task *);
void dpor_omp_fork_team(void (*microtask)(void), int count, void **arguments, int threads);

/* threadprivate.c */
void dpor_omp_remember_initial_values(void);

/* worksharing.c */
struct construct *dpor_omp_next_construct(struct task *);

#endif
