/* What dpor/scenario.hpp and dpor/scenario.h have in common: which scenarios there are, how one is run, and whether an
 * order of its calls, one after the other, explains what they returned. Programs do not include it.
 *
 * A scenario is a list of calls for each thread. It is chosen before the threads exist, so that one search goes over all
 * scenarios of a size. What calls return when they are made one after the other is known before: each sequence of calls was
 * made on a fresh object by the one thread that there was, where nothing is an event.
 *
 * Which calls returned before which others began is told by the checker, for all executions that differ only in that: calls
 * mark where they begin and end (dpor_mark). Where it does not tell, it is kept as a mask of bits. Accesses to the mask are
 * relaxed: they order nothing, so that no race of the object is hidden by them. A thread's own look at the mask and the
 * bits of others that come before or behind it make two executions of two real-time orders, and no more than these. */
#ifndef DPOR_SCENARIO_CORE_H
#define DPOR_SCENARIO_CORE_H

#include <dpor.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Threads, calls of a thread, and calls of all of them, at most. */
#define DPOR_SCENARIO_THREADS 6
#define DPOR_SCENARIO_LENGTH 6
#define DPOR_SCENARIO_CALLS 8
/* Sequences of calls at most (chosen: a second or two of a simple object's). */
#define DPOR_SCENARIO_SEQUENCES 4000000
/* Bytes of a text about a scenario, and of a result in it. */
#define DPOR_SCENARIO_TEXT 16000
#define DPOR_SCENARIO_RESULT 96

/* Instead of the number of a result: the call would wait; no order has it; the sequence before ends earlier. */
enum { DPOR_CALL_WAITS = -1, DPOR_CALL_UNKNOWN = -2, DPOR_CALL_NEVER = -3 };

/* `progress`: nothing is asked of results, so that they make no difference between states. */
enum dpor_scenario_check { DPOR_LINEARIZABLE, DPOR_SEQUENTIALLY_CONSISTENT, DPOR_QUIESCENT, DPOR_PROGRESS };

static enum dpor_scenario_check dpor_scenario_check_of(const char *word)
{
    if (!strcmp(word, "sequentially-consistent"))
        return DPOR_SEQUENTIALLY_CONSISTENT;
    if (!strcmp(word, "progress"))
        return DPOR_PROGRESS;
    return strcmp(word, "quiescent") ? DPOR_LINEARIZABLE : DPOR_QUIESCENT;
}

/* What is tested. A call is an operation with its arguments, and has a number. */
struct dpor_scenario_object {
    const char *name;
    /* The source that says so, or includes what does. */
    const char *file;
    int calls;
    const char *const *names;
    /* Calls of the same number above 0 are all made by one thread; 0 if there are none of such. */
    const int *roles;
    /* The size and the question where nothing else is asked. */
    int size_threads, size_length;
    enum dpor_scenario_check check;
    /* Threads are not alike: which of them makes which calls counts. */
    int threads_differ;
    /* Calls that may be exchanged for others, all at once: `map_count` tables of `calls` numbers. */
    int map_count;
    const int *maps;
    void *self;
    void *(*create)(void *self, int is_sequential);
    void (*destroy)(void *self, void *object, int is_sequential);
    /* Whether the call would wait now, of an object that one thread uses. */
    int (*waits)(void *self, void *object, int call);
    /* Makes the call; the number of its result. If no sequential call had it: DPOR_CALL_UNKNOWN, and its text, if that is
     * wanted. */
    int (*make)(void *self, void *object, int call, int is_sequential, char *unknown);
    /* The text of a result: empty where there is none. */
    const char *(*text)(void *self, int call, int result);
    /* The name of what should be so when all calls have returned, and is not; 0 if there is nothing. */
    const char *(*broken)(void *self, void *object);
};

/* A call of the scenario that runs. */
struct dpor_scenario_call {
    int call;
    int result;
    /* It marked its begin and end: `before` is empty. */
    int is_marked;
    /* 0: not begun, 1: begun, 2: returned. */
    int state;
    /* The calls that had returned when it began, a bit each; of `quiescent`, what it found, those that had begun above. */
    unsigned before;
    char unknown[DPOR_SCENARIO_RESULT];
};

struct dpor_scenario_run {
    const struct dpor_scenario_object *object;
    enum dpor_scenario_check check;
    /* The size: so many threads, which make so many calls at most, and one of them more than `above`. */
    int threads, length, above;
    /* Each thread makes its calls again and again (`progress` only). */
    int is_endless;
    /* The scenario that runs. */
    int number;
    /* Results of sequences of calls: those of `k` calls from `level[k]` on, in order. */
    int *sequential;
    size_t level[DPOR_SCENARIO_CALLS + 2];
    int depth;
    /* Scenarios: for each thread the number of its calls, and the calls. */
    unsigned char *scenarios;
    int count, room;
    /* What runs. The object, from when it is made to when it is given up: invariants look at it. */
    void *shared;
    /* Nothing runs any more. */
    int is_over;
    unsigned mask;
    int lengths[DPOR_SCENARIO_THREADS];
    struct dpor_scenario_call calls[DPOR_SCENARIO_THREADS][DPOR_SCENARIO_LENGTH];
};

#define DPOR_SCENARIO_ROW (1 + DPOR_SCENARIO_LENGTH)
#define DPOR_SCENARIO_BYTES (DPOR_SCENARIO_THREADS * DPOR_SCENARIO_ROW)

/* One for all files of a program, which may have several tests: whoever is asked at the end of an execution speaks of the one
 * that runs. */
#ifdef __cplusplus
inline
#else
static
#endif
    struct dpor_scenario_run dpor_scenario;

static void dpor_scenario_fail(int is_state, const char *text)
{
    if (!dpor_checking())
        fprintf(stderr, "dpor scenario: %s", text);
    dpor_scenario_failed(is_state, text);
}

static void dpor_scenario_refuse(const char *why)
{
    fprintf(stderr, "dpor scenario: %s\n", why);
    dpor_unsupported(why);
}

/* Sequences of calls, made by one thread. */

/* Makes one sequence of `depth` calls on a fresh object; where one of them would wait it ends there. Returns how many calls
 * were asked for. */
static int dpor_scenario_sequence(struct dpor_scenario_run *run, const int *path)
{
    const struct dpor_scenario_object *type = run->object;
    void *object = type->create(type->self, 1);
    size_t word = 0;
    int k = 0;
    while (k < run->depth) {
        int call = path[k++], result;
        int waits = type->waits(type->self, object, call);
        int *known;
        word = word * (size_t)type->calls + (size_t)call;
        result = waits ? DPOR_CALL_WAITS : type->make(type->self, object, call, 1, 0);
        known = &run->sequential[run->level[k] + word];
        if (*known != DPOR_CALL_NEVER && *known != result) {
            static char why[400];
            snprintf(why, sizeof why,
                     "%s is not the same each time it is made anew: %s, one call after the other, returns what it did not "
                     "before",
                     type->name, type->names[call]);
            dpor_scenario_refuse(why);
        }
        *known = result;
        if (waits)
            break;
    }
    type->destroy(type->self, object, 1);
    return k;
}

/* Room for the results of sequences of `depth` calls. 0: there are too many. */
static int dpor_scenario_room(struct dpor_scenario_run *run, int depth)
{
    size_t total = 0, width = 1, n;
    int k;
    for (k = 0; k <= depth; k++) {
        run->level[k] = total;
        total += width;
        if (total > DPOR_SCENARIO_SEQUENCES)
            return 0;
        width *= (size_t)run->object->calls;
    }
    run->sequential = (int *)malloc(total * sizeof *run->sequential);
    for (n = 0; n < total; n++)
        run->sequential[n] = DPOR_CALL_NEVER;
    return 1;
}

static int dpor_scenario_result(const struct dpor_scenario_run *run, int length, size_t word)
{
    return run->sequential[run->level[length] + word];
}

/* The number of a call of a thread among all calls. */
static int dpor_scenario_place(int thread, int number)
{
    int k, place = number;
    for (k = 0; k < thread; k++)
        place += dpor_scenario.lengths[k];
    return place;
}

/* The bit of a call of a thread in masks. */
static unsigned dpor_scenario_bit(int thread, int number)
{
    return 1u << dpor_scenario_place(thread, number);
}

/* The marks of a call's begin and end. */
#define DPOR_CALL_BEGINS(place) (2 * (place))
#define DPOR_CALL_ENDS(place) (2 * (place) + 1)

/* Makes the next call of a thread: which of its calls it is, has the number `i`. */
static void dpor_scenario_call_next(struct dpor_scenario_run *run, int thread, int i)
{
    const struct dpor_scenario_object *type = run->object;
    struct dpor_scenario_call *made = &run->calls[thread][i];
    int place = dpor_scenario_place(thread, i);
    unsigned bit = 1u << place;
    if (run->check == DPOR_LINEARIZABLE) {
        made->is_marked = dpor_mark(DPOR_CALL_BEGINS(place));
        if (!made->is_marked)
            made->before = __atomic_load_n(&run->mask, __ATOMIC_RELAXED);
    }
    if (run->check == DPOR_QUIESCENT)
        made->before = __atomic_fetch_or(&run->mask, bit << 16, __ATOMIC_RELAXED);
    made->state = 1;
    if (run->check == DPOR_PROGRESS) {
        type->make(type->self, run->shared, made->call, 0, 0);
        made->state = 2;
        /* An event, where there was none: a thread whose calls make none would make a step without end. */
        if (run->is_endless && dpor_call_ended())
            (void)__atomic_load_n(&run->mask, __ATOMIC_RELAXED);
        return;
    }
    made->result = type->make(type->self, run->shared, made->call, 0, made->unknown);
    made->state = 2;
    if (made->is_marked)
        dpor_mark(DPOR_CALL_ENDS(place));
    else if (run->check != DPOR_SEQUENTIALLY_CONSISTENT)
        __atomic_fetch_or(&run->mask, bit, __ATOMIC_RELAXED);
}

#include <dpor/scenario_judge.h>
#include <dpor/scenario_told.h>

/* When all calls returned: what is wrong, as text, if no order explains their results, or (1 in `is_state`) what should be so
 * is not; 0 if all is well. */
static const char *dpor_scenario_wrong(struct dpor_scenario_run *run, int *is_state)
{
    static char text[DPOR_SCENARIO_TEXT];
    const char *broken;
    *is_state = 0;
    if (dpor_scenario_is_marked(run)) {
        /* The results are judged at the end of the execution. What is found is told with the order in time. */
        if (run->object->broken(run->object->self, run->shared))
            dpor_scenario_doubted(run->number);
        return 0;
    }
    if (run->check != DPOR_PROGRESS && !dpor_scenario_is_explained(run)) {
        dpor_scenario_tell(run, text, 0);
        return text;
    }
    broken = run->object->broken(run->object->self, run->shared);
    if (!broken)
        return 0;
    *is_state = 1;
    dpor_scenario_tell(run, text, broken);
    return text;
}

static void dpor_scenario_expect(struct dpor_scenario_run *run)
{
    int is_state;
    const char *wrong = dpor_scenario_wrong(run, &is_state);
    if (wrong)
        dpor_scenario_fail(is_state, wrong);
}

#ifdef DPOR_SCENARIO_FIXED
#include <dpor/scenario_fixed.h>
#else
#include <dpor/scenario_search.h>
#endif

#endif
