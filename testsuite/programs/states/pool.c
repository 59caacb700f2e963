// A pool of threads with a queue of two places, for ever: who submits waits for a place, who works waits for a task.
// [if] A worker that was woken does not look again, and another may have taken the task.
// [one] Everybody waits at one condition variable, and one is woken each time: the task's signal can go to a worker that
// finds nothing, until all four workers and the submitter wait.
//@ revisions: right if one
//@ args: --states
//@ opt: O0 O2
//@[right] expect: verified
//@[if] cflags: -DWHILE=if
//@[if] expect: bug
//@[if] kind: assertion
//@[one] cflags: -DONE -DWORKERS=4
//@[one] expect: bug
//@[one] kind: deadlock
#include <assert.h>
#include <pthread.h>

#ifndef WHILE
#define WHILE while
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#define PLACES 2

struct task {
    void (*run)(int *);
    int *argument;
};

struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t has_task, has_place;
    struct task tasks[PLACES];
    int first, used;
};

static struct pool pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {{0}}, 0, 0};
static int lamps[2];

static pthread_cond_t *place_signal(struct pool *pool) {
#ifdef ONE
    return &pool->has_task;
#else
    return &pool->has_place;
#endif
}

static void submit(struct pool *pool, void (*run)(int *), int *argument) {
    pthread_mutex_lock(&pool->mutex);
    while (pool->used == PLACES) pthread_cond_wait(place_signal(pool), &pool->mutex);
    struct task *task = &pool->tasks[(pool->first + pool->used) % PLACES];
    task->run = run;
    task->argument = argument;
    pool->used++;
    pthread_cond_signal(&pool->has_task);
    pthread_mutex_unlock(&pool->mutex);
}

static void *work(void *argument) {
    struct pool *pool = argument;
    for (;;) {
        pthread_mutex_lock(&pool->mutex);
        WHILE (pool->used == 0) pthread_cond_wait(&pool->has_task, &pool->mutex);
        assert(pool->used > 0); //~[if] assertion
        struct task task = pool->tasks[pool->first];
        pool->first = (pool->first + 1) % PLACES;
        pool->used--;
        pthread_cond_signal(place_signal(pool));
        task.run(task.argument);
        pthread_mutex_unlock(&pool->mutex);
    }
    return 0;
}

static void flip(int *lamp) { *lamp ^= 1; }

int main(void) {
    pthread_t thread;
    for (int n = 0; n < WORKERS; n++) pthread_create(&thread, 0, work, &pool);
    for (int n = 0;; n ^= 1) submit(&pool, flip, &lamps[n]);
}
