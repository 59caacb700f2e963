/* Which scenarios there are, and the main function of a test. A part of scenario_core.h. */
#ifndef DPOR_SCENARIO_SEARCH_H
#define DPOR_SCENARIO_SEARCH_H

/* Makes all sequences of `depth` calls. 0: there are too many. */
static int dpor_scenario_sequences(struct dpor_scenario_run *run, int depth)
{
    int path[DPOR_SCENARIO_CALLS] = {0}, k;
    if (!dpor_scenario_room(run, depth))
        return 0;
    run->depth = depth;
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

/* Whether a list of calls is a shorter one, more than once: made again and again they are the same. */
static int dpor_scenario_is_repeated(const unsigned char *row)
{
    int length = row[0], period, k;
    for (period = 1; period < length; period++) {
        if (length % period)
            continue;
        for (k = period; k < length && row[1 + k] == row[1 + k - period]; k++) { }
        if (k == length)
            return 1;
    }
    return 0;
}

static void dpor_scenario_keep(struct dpor_scenario_run *run, const unsigned char *rows)
{
    int t;
    for (t = 0; run->is_endless && t < run->threads; t++)
        if (dpor_scenario_is_repeated(rows + t * DPOR_SCENARIO_ROW))
            return;
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

static void *dpor_scenario_thread(void *number)
{
    struct dpor_scenario_run *run = &dpor_scenario;
    int thread = (int)(size_t)number, i;
    do {
        for (i = 0; i < run->lengths[thread]; i++)
            dpor_scenario_call_next(run, thread, i);
        /* How often the calls were made is no part of a state. */
        for (i = 0; run->is_endless && i < run->lengths[thread]; i++)
            run->calls[thread][i].state = 0;
    } while (run->is_endless);
    return 0;
}

/* Takes a scenario as the one that runs. */
static void dpor_scenario_take(struct dpor_scenario_run *run, int number)
{
    const unsigned char *rows = run->scenarios + (size_t)number * DPOR_SCENARIO_BYTES;
    int t, i;
    for (t = 0; t < run->threads; t++) {
        const unsigned char *row = rows + t * DPOR_SCENARIO_ROW;
        run->lengths[t] = row[0];
        for (i = 0; i < row[0]; i++) {
            memset(&run->calls[t][i], 0, sizeof run->calls[t][i]);
            run->calls[t][i].call = row[1 + i];
        }
    }
}

#include <dpor/scenario_emit.h>

/* Runs a scenario. Returns what is wrong, if somebody else says it: without the checker, and if `is_told`. */
static const char *dpor_scenario_explore(struct dpor_scenario_run *run, int number, int is_told)
{
    const struct dpor_scenario_object *type = run->object;
    pthread_t threads[DPOR_SCENARIO_THREADS];
    const char *wrong;
    void *object;
    int t, is_state;
    if (!dpor_scenario_wanted(number))
        dpor_assume(0);
    dpor_scenario_take(run, number);
    run->number = number;
    run->mask = 0;
    run->is_over = 0;
    run->shared = type->create(type->self, 0);
    for (t = 0; t < run->threads; t++)
        pthread_create(&threads[t], 0, dpor_scenario_thread, (void *)(size_t)t);
    for (t = 0; t < run->threads; t++)
        pthread_join(threads[t], 0);
    wrong = dpor_scenario_wrong(run, &is_state);
    if (wrong && (!is_told || dpor_checking()))
        dpor_scenario_fail(is_state, wrong);
    object = run->shared;
    run->is_over = 1;
    run->shared = 0;
    type->destroy(type->self, object, 0);
    return wrong;
}

/* The main function of a test. What the driver asks for are arguments:
 *   --dpor-list=2x2,3x1         how many scenarios each size has, without those of smaller ones that stand before
 *   --dpor-scenario=2x2         the size
 *   --dpor-above=1              without scenarios in which no thread makes more calls than that
 *   --dpor-check=linearizable   the question
 *   --dpor-again                each thread makes its calls again and again; before --dpor-list
 *   --dpor-emit=3               no run: a program of scenario 3 alone, but for its first lines */
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
    printf("dpor scenarios of %s\n%s\n", run->object->name, run->object->file);
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
    dpor_scenario_print_calls(run->object);
    return 0;
}

/* Learns what calls return one after the other. */
static void dpor_scenario_learn(struct dpor_scenario_run *run)
{
    int depth = run->threads * run->length;
    dpor_when_stuck(dpor_scenario_stuck);
    dpor_when_promised(dpor_scenario_standing);
    /* A call that never ends would not end in a sequence either. */
    if (run->check != DPOR_PROGRESS &&
        (!dpor_scenario_fits(run->object->calls, depth) || !dpor_scenario_sequences(run, depth)))
        dpor_scenario_refuse("there are too many sequences of so many calls: give fewer operations or values");
}

#ifdef __cplusplus
/* A test of a framework: what is wrong, if the framework has to say it. Under the checker all scenarios of the size are
 * explored; without, each is run once. */
inline const char *dpor_scenario_test(const struct dpor_scenario_object *object)
{
    struct dpor_scenario_run *run = &dpor_scenario;
    const char *wrong = 0;
    int number;
    memset(run, 0, sizeof *run);
    run->object = object;
    run->threads = object->size_threads ? object->size_threads : 2;
    run->length = object->size_length ? object->size_length : 2;
    run->check = object->check;
    dpor_scenario_list(run);
    if (run->count > 0) {
        dpor_scenario_learn(run);
        if (dpor_checking())
            wrong = dpor_scenario_explore(run, dpor_choose(run->count), 1);
        else
            for (number = 0; number < run->count && !wrong; number++)
                wrong = dpor_scenario_explore(run, number, 1);
    }
    free(run->scenarios);
    free(run->sequential);
    run->scenarios = 0;
    run->sequential = 0;
    return wrong;
}
#endif

/* A program of a framework has none. */
__attribute__((unused)) static int dpor_scenario_main(const struct dpor_scenario_object *object, int argc, char **argv)
{
    struct dpor_scenario_run *run = &dpor_scenario;
    int k, emitted = -1;
    run->object = object;
    run->threads = object->size_threads ? object->size_threads : 2;
    run->length = object->size_length ? object->size_length : 2;
    run->check = object->check;
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
        if (!strncmp(word, "--dpor-check=", 13))
            run->check = dpor_scenario_check_of(word + 13);
        if (!strcmp(word, "--dpor-again"))
            run->is_endless = 1;
        if (!strncmp(word, "--dpor-emit=", 12))
            emitted = atoi(word + 12);
    }
    dpor_scenario_list(run);
    if (run->count == 0)
        return 0;
    /* Real threads would never end. */
    run->is_endless &= dpor_checking() && run->check == DPOR_PROGRESS;
    dpor_scenario_learn(run);
    if (run->check == DPOR_LINEARIZABLE)
        dpor_when_ended(dpor_scenario_ended);
    if (emitted >= 0)
        return dpor_scenario_emit(run, emitted);
    dpor_scenario_explore(run, dpor_choose(run->count), 0);
    return 0;
}

#endif
