/* What a program of one scenario calls, which `dpor scenario --emit` wrote. A part of scenario_core.h. */
#ifndef DPOR_SCENARIO_FIXED_H
#define DPOR_SCENARIO_FIXED_H

/* What DPOR_SCENARIO says of the object. */
static const struct dpor_scenario_object *dpor_fixed_object(void);

/* A call of thread 1, 2, …, and what it returns at its place in an order; 0: it would wait there. Behind the last: no call. */
struct dpor_fixed_step {
    int thread;
    const char *call, *result;
};

/* Not by strcmp: threads use it, and what is not instrumented looks at memory that nobody knows of. */
static int dpor_fixed_is(const char *name, const char *other)
{
    for (; *name && *name == *other; name++, other++) { }
    return *name == *other;
}

static int dpor_fixed_number(const struct dpor_scenario_object *type, const char *name)
{
    int k;
    for (k = 0; k < type->calls; k++)
        if (dpor_fixed_is(type->names[k], name))
            return k;
    fprintf(stderr, "dpor scenario: %s has no call %s\n", type->name, name);
    exit(2);
}

/* Makes the calls of an order on a fresh object, and looks whether they return what is said; behind them, each of those that
 * are said to wait. */
static void dpor_fixed_learn(struct dpor_scenario_run *run, const struct dpor_fixed_step *steps)
{
    const struct dpor_scenario_object *type = run->object;
    int path[DPOR_SCENARIO_CALLS + 1], length = 0, k;
    for (k = 0; k <= DPOR_SCENARIO_CALLS && steps[k].call; k++) {
        size_t word = 0;
        int i, result;
        path[length] = dpor_fixed_number(type, steps[k].call);
        if (steps[k].result && steps[k + 1].call && steps[k + 1].result) {
            length++;
            continue;
        }
        run->depth = length + 1;
        dpor_scenario_sequence(run, path);
        for (i = 0; i <= length; i++) {
            const char *said = i < length ? steps[i].result : steps[k].result;
            word = word * (size_t)type->calls + (size_t)path[i];
            result = dpor_scenario_result(run, i + 1, word);
            if (said ? result < 0 || strcmp(type->text(type->self, path[i], result), said) : result != DPOR_CALL_WAITS) {
                static char why[400];
                snprintf(why, sizeof why, "%s, one call after the other: %s does not %s%s here, as it is said to",
                         type->name, type->names[path[i]], said ? "return " : "wait", said ? said : "");
                dpor_scenario_refuse(why);
            }
        }
        if (steps[k].result)
            length++;
    }
}

/* Makes the object. `calls`: how many each thread makes. */
static void *dpor_fixed_begin(const char *question, int threads, const int *calls,
                              const struct dpor_fixed_step (*orders)[DPOR_SCENARIO_CALLS + 1], int order_count)
{
    struct dpor_scenario_run *run = &dpor_scenario;
    int k, total = 0;
    run->object = dpor_fixed_object();
    run->check = dpor_scenario_check_of(question);
    run->threads = threads;
    for (k = 0; k < threads; k++)
        total += run->lengths[k] = calls[k];
    if (!dpor_scenario_room(run, total))
        dpor_scenario_refuse("there are too many operations");
    for (k = 0; k < order_count; k++)
        dpor_fixed_learn(run, orders[k]);
    dpor_when_stuck(dpor_scenario_stuck);
    dpor_when_promised(dpor_scenario_standing);
    return run->shared = run->object->create(run->object->self, 0);
}

/* Makes the next call of thread 1, 2, …. */
static void dpor_fixed_call(void *object, int thread, const char *call)
{
    struct dpor_scenario_run *run = &dpor_scenario;
    int i;
    (void)object;
    for (i = 0; run->calls[thread - 1][i].state; i++) { }
    run->calls[thread - 1][i].call = dpor_fixed_number(run->object, call);
    dpor_scenario_call_next(run, thread - 1, i);
}

static void dpor_fixed_expect(void *object)
{
    (void)object;
    dpor_scenario_expect(&dpor_scenario);
}

static void dpor_fixed_drop(void *object)
{
    dpor_scenario.is_over = 1;
    dpor_scenario.shared = 0;
    dpor_scenario.object->destroy(dpor_scenario.object->self, object, 0);
}

#endif
