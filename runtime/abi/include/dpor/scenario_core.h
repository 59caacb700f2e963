/* What dpor/scenario.hpp and dpor/scenario.h have in common: which scenarios there are, how one is run, and whether an
 * order of its calls, one after the other, explains what they returned. Programs do not include it.
 *
 * A scenario is a list of calls for each thread. It is chosen before the threads exist, so that one search goes over all
 * scenarios of a size. What calls return when they are made one after the other is known before: each sequence of calls was
 * made on a fresh object by the one thread that there was, where nothing is an event.
 *
 * Which calls returned before which others began is kept as a mask. Its accesses are relaxed: they order nothing, so that
 * no race of the object is hidden by them. A thread's own look at the mask and the marks of others that come before or
 * behind it make two executions of two real-time orders, and no more than these. */
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

enum dpor_scenario_check { DPOR_LINEARIZABLE, DPOR_SEQUENTIALLY_CONSISTENT, DPOR_QUIESCENT };

/* What is tested. A call is an operation with its arguments, and has a number. */
struct dpor_scenario_object {
    const char *name;
    int calls;
    const char *const *names;
    /* Calls of the same number above 0 are all made by one thread; 0 if there are none of such. */
    const int *roles;
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
    /* Makes the call; the number of its result. If no sequential call had it: DPOR_CALL_UNKNOWN, and its text. */
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
    /* Results of sequences of calls: those of `k` calls from `level[k]` on, in order. */
    int *sequential;
    size_t level[DPOR_SCENARIO_CALLS + 2];
    int depth;
    /* Scenarios: for each thread the number of its calls, and the calls. */
    unsigned char *scenarios;
    int count, room;
    /* What runs. */
    void *shared;
    unsigned mask;
    int lengths[DPOR_SCENARIO_THREADS];
    struct dpor_scenario_call calls[DPOR_SCENARIO_THREADS][DPOR_SCENARIO_LENGTH];
};

#define DPOR_SCENARIO_ROW (1 + DPOR_SCENARIO_LENGTH)
#define DPOR_SCENARIO_BYTES (DPOR_SCENARIO_THREADS * DPOR_SCENARIO_ROW)

static struct dpor_scenario_run dpor_scenario;

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

/* Makes all sequences of `depth` calls. 0: there are too many. */
static int dpor_scenario_sequences(struct dpor_scenario_run *run, int depth)
{
    int path[DPOR_SCENARIO_CALLS] = {0}, k;
    size_t total = 0, width = 1, n;
    run->depth = depth;
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
    for (;;) {
        /* The next sequence that differs in a call that was asked for. */
        k = dpor_scenario_sequence(run, path) - 1;
        while (k >= 0 && path[k] == run->object->calls - 1)
            k--;
        if (k < 0)
            return 1;
        path[k]++;
        memset(path + k + 1, 0, sizeof path - (size_t)(k + 1) * sizeof *path);
    }
}

static int dpor_scenario_result(const struct dpor_scenario_run *run, int length, size_t word)
{
    return run->sequential[run->level[length] + word];
}

/* Scenarios. */

static int dpor_scenario_compare_rows(const void *a, const void *b)
{
    return memcmp(a, b, DPOR_SCENARIO_ROW);
}

/* Whether none of those that are like it comes before it. */
static int dpor_scenario_is_first(const struct dpor_scenario_run *run, const unsigned char *rows)
{
    int m, t, i;
    for (m = 0; m < run->object->map_count; m++) {
        const int *map = run->object->maps + m * run->object->calls;
        unsigned char mapped[DPOR_SCENARIO_BYTES];
        memcpy(mapped, rows, sizeof mapped);
        for (t = 0; t < run->threads; t++)
            for (i = 1; i <= mapped[t * DPOR_SCENARIO_ROW]; i++)
                mapped[t * DPOR_SCENARIO_ROW + i] = (unsigned char)map[mapped[t * DPOR_SCENARIO_ROW + i]];
        if (!run->object->threads_differ)
            qsort(mapped, (size_t)run->threads, DPOR_SCENARIO_ROW, dpor_scenario_compare_rows);
        if (memcmp(mapped, rows, sizeof mapped) < 0)
            return 0;
    }
    return 1;
}

/* Whether no two threads make calls that are for one. */
static int dpor_scenario_has_roles(const struct dpor_scenario_run *run, const unsigned char *rows)
{
    const int *roles = run->object->roles;
    int t, i, other, k;
    if (!roles)
        return 1;
    for (t = 0; t < run->threads; t++)
        for (i = 1; i <= rows[t * DPOR_SCENARIO_ROW]; i++)
            for (other = 0; other < t; other++)
                for (k = 1; k <= rows[other * DPOR_SCENARIO_ROW]; k++) {
                    int role = roles[rows[t * DPOR_SCENARIO_ROW + i]];
                    if (role > 0 && role == roles[rows[other * DPOR_SCENARIO_ROW + k]])
                        return 0;
                }
    return 1;
}

static void dpor_scenario_keep(struct dpor_scenario_run *run, const unsigned char *rows)
{
    if (!dpor_scenario_has_roles(run, rows) || !dpor_scenario_is_first(run, rows))
        return;
    if (run->count == run->room) {
        run->room = run->room ? 2 * run->room : 64;
        run->scenarios = (unsigned char *)realloc(run->scenarios, (size_t)run->room * DPOR_SCENARIO_BYTES);
    }
    memcpy(run->scenarios + (size_t)run->count++ * DPOR_SCENARIO_BYTES, rows, DPOR_SCENARIO_BYTES);
}

/* Gives thread `thread` each list of calls, with `left` calls for it and those behind it; threads that are alike have their
 * lists in order. */
static void dpor_scenario_fill(struct dpor_scenario_run *run, unsigned char *rows, int thread, int left)
{
    unsigned char *row = rows + thread * DPOR_SCENARIO_ROW;
    int behind = run->threads - thread - 1, length, k;
    if (thread == run->threads) {
        int longest = 0;
        for (k = 0; k < run->threads; k++)
            if (rows[k * DPOR_SCENARIO_ROW] > longest)
                longest = rows[k * DPOR_SCENARIO_ROW];
        if (left == 0 && longest > run->above)
            dpor_scenario_keep(run, rows);
        return;
    }
    for (length = 1; length <= run->length && left - length >= behind; length++) {
        if (left - length > behind * run->length)
            continue;
        memset(row, 0, DPOR_SCENARIO_ROW);
        row[0] = (unsigned char)length;
        for (;;) {
            if (thread == 0 || run->object->threads_differ || memcmp(row - DPOR_SCENARIO_ROW, row, DPOR_SCENARIO_ROW) <= 0)
                dpor_scenario_fill(run, rows, thread + 1, left - length);
            for (k = length; k > 0 && row[k] == run->object->calls - 1; k--)
                row[k] = 0;
            if (k == 0)
                break;
            row[k]++;
        }
    }
    memset(row, 0, DPOR_SCENARIO_ROW);
}

/* All scenarios of the size, those with few calls first. */
static void dpor_scenario_list(struct dpor_scenario_run *run)
{
    int total;
    unsigned char rows[DPOR_SCENARIO_BYTES];
    memset(rows, 0, sizeof rows);
    run->count = 0;
    for (total = run->threads; total <= run->threads * run->length; total++)
        dpor_scenario_fill(run, rows, 0, total);
}

/* The bit of a call of a thread in masks. */
static unsigned dpor_scenario_bit(int thread, int number)
{
    int k, bit = number;
    for (k = 0; k < thread; k++)
        bit += dpor_scenario.lengths[k];
    return 1u << bit;
}

static void *dpor_scenario_thread(void *number)
{
    struct dpor_scenario_run *run = &dpor_scenario;
    const struct dpor_scenario_object *type = run->object;
    int thread = (int)(size_t)number, i;
    for (i = 0; i < run->lengths[thread]; i++) {
        struct dpor_scenario_call *made = &run->calls[thread][i];
        unsigned bit = dpor_scenario_bit(thread, i);
        if (run->check == DPOR_LINEARIZABLE)
            made->before = __atomic_load_n(&run->mask, __ATOMIC_RELAXED);
        if (run->check == DPOR_QUIESCENT)
            made->before = __atomic_fetch_or(&run->mask, bit << 16, __ATOMIC_RELAXED);
        made->state = 1;
        made->result = type->make(type->self, run->shared, made->call, 0, made->unknown);
        made->state = 2;
        if (run->check != DPOR_SEQUENTIALLY_CONSISTENT)
            __atomic_fetch_or(&run->mask, bit, __ATOMIC_RELAXED);
    }
    return 0;
}

#include <dpor/scenario_judge.h>

/* Chooses a scenario and runs it. */
static void dpor_scenario_explore(struct dpor_scenario_run *run)
{
    const struct dpor_scenario_object *type = run->object;
    const unsigned char *rows = run->scenarios + (size_t)dpor_choose(run->count) * DPOR_SCENARIO_BYTES;
    pthread_t threads[DPOR_SCENARIO_THREADS];
    static char text[DPOR_SCENARIO_TEXT];
    const char *broken;
    int t, i;
    for (t = 0; t < run->threads; t++) {
        const unsigned char *row = rows + t * DPOR_SCENARIO_ROW;
        run->lengths[t] = row[0];
        for (i = 0; i < row[0]; i++) {
            memset(&run->calls[t][i], 0, sizeof run->calls[t][i]);
            run->calls[t][i].call = row[1 + i];
        }
    }
    run->shared = type->create(type->self, 0);
    for (t = 0; t < run->threads; t++)
        pthread_create(&threads[t], 0, dpor_scenario_thread, (void *)(size_t)t);
    for (t = 0; t < run->threads; t++)
        pthread_join(threads[t], 0);
    if (!dpor_scenario_is_explained(run)) {
        dpor_scenario_tell(run, text, 0);
        dpor_scenario_failed(0, text);
    }
    broken = type->broken(type->self, run->shared);
    if (broken) {
        dpor_scenario_tell(run, text, broken);
        dpor_scenario_failed(1, text);
    }
    type->destroy(type->self, run->shared, 0);
}

/* The main function of a test. What the driver asks for are arguments:
 *   --dpor-list=2x2,3x1         how many scenarios each size has, without those of smaller ones that stand before
 *   --dpor-scenario=2x2         the size
 *   --dpor-above=1              without scenarios in which no thread makes more calls than that
 *   --dpor-check=linearizable   the question */
static int dpor_scenario_size(const char *word, int *threads, int *length)
{
    char *end;
    *threads = (int)strtol(word, &end, 10);
    if (end == word || *end != 'x')
        return 0;
    word = end + 1;
    *length = (int)strtol(word, &end, 10);
    return end != word && (*end == 0 || *end == ',') && *threads >= 1 && *threads <= DPOR_SCENARIO_THREADS &&
           *length >= 1 && *length <= DPOR_SCENARIO_LENGTH && *threads * *length <= DPOR_SCENARIO_CALLS;
}

/* Whether the sequences of so many calls are few enough. */
static int dpor_scenario_fits(int calls, int depth)
{
    double total = 1, width = 1;
    for (; depth > 0; depth--)
        total += width *= calls;
    return total <= DPOR_SCENARIO_SEQUENCES;
}

static int dpor_scenario_print(struct dpor_scenario_run *run, const char *sizes)
{
    int most[DPOR_SCENARIO_THREADS + 1] = {0};
    printf("dpor scenarios of %s\n", run->object->name);
    while (sizes && *sizes) {
        if (!dpor_scenario_size(sizes, &run->threads, &run->length))
            return 2;
        run->above = most[run->threads];
        if (run->length > most[run->threads])
            most[run->threads] = run->length;
        run->count = -1;
        if (dpor_scenario_fits(run->object->calls, run->threads * run->length))
            dpor_scenario_list(run);
        printf("%dx%d %d %d\n", run->threads, run->length, run->above, run->count);
        sizes = strchr(sizes, ',');
        sizes = sizes ? sizes + 1 : 0;
    }
    return 0;
}

static int dpor_scenario_main(const struct dpor_scenario_object *object, int argc, char **argv)
{
    struct dpor_scenario_run *run = &dpor_scenario;
    int k;
    run->object = object;
    run->threads = run->length = 2;
    for (k = 1; k < argc; k++) {
        const char *word = argv[k];
        if (!strncmp(word, "--dpor-list=", 12))
            return dpor_scenario_print(run, word + 12);
        if (!strncmp(word, "--dpor-scenario=", 16) && !dpor_scenario_size(word + 16, &run->threads, &run->length)) {
            fprintf(stderr, "%s: no size, as in 2x3\n", word);
            return 2;
        }
        if (!strncmp(word, "--dpor-above=", 13))
            run->above = atoi(word + 13);
        if (!strcmp(word, "--dpor-check=sequentially-consistent"))
            run->check = DPOR_SEQUENTIALLY_CONSISTENT;
        if (!strcmp(word, "--dpor-check=quiescent"))
            run->check = DPOR_QUIESCENT;
    }
    dpor_scenario_list(run);
    if (run->count == 0)
        return 0;
    dpor_when_stuck(dpor_scenario_stuck);
    if (!dpor_scenario_fits(object->calls, run->threads * run->length) ||
        !dpor_scenario_sequences(run, run->threads * run->length))
        dpor_scenario_refuse("there are too many sequences of so many calls: give fewer operations or values");
    dpor_scenario_explore(run);
    return 0;
}

#endif
