/* What a report has of the scenario in which something was found, beside its lines: the calls, and the orders that come
 * nearest. A part of scenario_core.h.
 *
 * The checker asks for it at the end of the execution (dpor_when_promised). Each record is a line that begins with the byte
 * 0x1e, and has its fields behind bytes 0x1f; other lines are for people. A byte below 0x20 of a text is the byte 0x1b
 * and one that is 0x40 more. What ends without a newline was cut short.
 *
 *   calls  how many, whether they are in order of time (1, 0)
 *   call   thread, first and last column (scenario_columns), state (scenario_call), name, and the result if there is one
 *   order  what it is; and of each call in it: which of the calls above, from 0, whether it has another result here (1, 0),
 *          whether it waits here (1, 0), its result here */
#ifndef DPOR_SCENARIO_TOLD_H
#define DPOR_SCENARIO_TOLD_H

static void dpor_scenario_add_byte(struct dpor_scenario_text *text, char byte)
{
    char all[2] = {byte, 0};
    dpor_scenario_add(text, all);
}

/* A field of a record. */
static void dpor_scenario_add_field(struct dpor_scenario_text *text, const char *field)
{
    dpor_scenario_add_byte(text, 0x1f);
    for (; *field; field++) {
        unsigned char byte = (unsigned char)*field;
        if (byte < 0x20) {
            dpor_scenario_add_byte(text, 0x1b);
            byte = (unsigned char)(byte + 0x40);
        }
        dpor_scenario_add_byte(text, (char)byte);
    }
}

static void dpor_scenario_add_count(struct dpor_scenario_text *text, int number)
{
    dpor_scenario_add_byte(text, 0x1f);
    dpor_scenario_add_number(text, number);
}

/* The text of a result; empty where there is none. */
static const char *dpor_scenario_shown(const struct dpor_scenario_run *run, int call, int result, const char *unknown)
{
    if (result == DPOR_CALL_UNKNOWN)
        return unknown;
    return result >= 0 ? run->object->text(run->object->self, call, result) : "";
}

static const char *dpor_scenario_name(const struct dpor_scenario_run *run, const struct dpor_scenario_call *made)
{
#ifdef DPOR_SCENARIO_FIXED
    /* Which call it is, its thread says when it makes it. */
    if (made->state == 0)
        return "a further call";
#endif
    return run->object->names[made->call];
}

static void dpor_scenario_record_calls(const struct dpor_scenario_run *run, struct dpor_scenario_text *text)
{
    int from[DPOR_SCENARIO_THREADS][DPOR_SCENARIO_LENGTH], to[DPOR_SCENARIO_THREADS][DPOR_SCENARIO_LENGTH];
    int t, i, total = 0;
    for (t = 0; t < run->threads; t++)
        total += run->lengths[t];
    dpor_scenario_columns(run, from, to);
    dpor_scenario_add(text, "\036calls");
    dpor_scenario_add_count(text, total);
    dpor_scenario_add_count(text, dpor_scenario_is_timed(run));
    dpor_scenario_add(text, "\n");
    for (t = 0; t < run->threads; t++)
        for (i = 0; i < run->lengths[t]; i++) {
            const struct dpor_scenario_call *made = &run->calls[t][i];
            dpor_scenario_add(text, "\036call");
            dpor_scenario_add_count(text, t + 1);
            dpor_scenario_add_count(text, from[t][i]);
            dpor_scenario_add_count(text, to[t][i]);
            dpor_scenario_add_count(text, made->state);
            dpor_scenario_add_field(text, dpor_scenario_name(run, made));
            if (made->state == 2 && run->check != DPOR_PROGRESS)
                dpor_scenario_add_field(text, dpor_scenario_shown(run, made->call, made->result, made->unknown));
            dpor_scenario_add(text, "\n");
        }
}

/* Number of a call among all of them, those of the first thread first. */
static int dpor_scenario_nth(const struct dpor_scenario_run *run, int thread, int number)
{
    int t, place = number;
    for (t = 0; t < thread; t++)
        place += run->lengths[t];
    return place;
}

static void dpor_scenario_record_order(const struct dpor_scenario_run *run, struct dpor_scenario_text *text, const char *what,
                                       const struct dpor_scenario_order *order)
{
    size_t word = 0;
    int k, t, i;
    dpor_scenario_add(text, "\036order");
    dpor_scenario_add_field(text, what);
    for (k = 0; k < order->length; k++) {
        const struct dpor_scenario_call *made = &run->calls[order->threads[k]][order->numbers[k]];
        int result;
        word = word * (size_t)run->object->calls + (size_t)made->call;
        result = dpor_scenario_result(run, k + 1, word);
        dpor_scenario_add_count(text, dpor_scenario_nth(run, order->threads[k], order->numbers[k]));
        dpor_scenario_add_count(text, result != made->result);
        dpor_scenario_add_count(text, result == DPOR_CALL_WAITS);
        dpor_scenario_add_field(text, dpor_scenario_shown(run, made->call, result, ""));
    }
    /* Behind the calls that returned: those that wait, or would not. */
    for (t = 0; t < run->threads; t++)
        for (i = 0; i < run->lengths[t]; i++) {
            const struct dpor_scenario_call *made = &run->calls[t][i];
            size_t with = word * (size_t)run->object->calls + (size_t)made->call;
            int result = made->state == 1 ? dpor_scenario_result(run, order->length + 1, with) : 0;
            if (made->state != 1)
                continue;
            dpor_scenario_add_count(text, dpor_scenario_nth(run, t, i));
            dpor_scenario_add_count(text, result != DPOR_CALL_WAITS);
            dpor_scenario_add_count(text, result == DPOR_CALL_WAITS);
            dpor_scenario_add_field(text, dpor_scenario_shown(run, made->call, result, ""));
        }
    dpor_scenario_add(text, "\n");
}

/* The orders that come nearest, if none explains the results, and one that does if time is not looked at. */
static void dpor_scenario_record_orders(const struct dpor_scenario_run *run, struct dpor_scenario_text *text)
{
    struct dpor_scenario_search search;
    int k;
    dpor_scenario_look(run, &search, 0, run->check != DPOR_QUIESCENT, run->check != DPOR_SEQUENTIALLY_CONSISTENT);
    if (search.found)
        return;
    for (k = 0; k < search.nearest_count; k++)
        dpor_scenario_record_order(run, text, "nearest", &search.nearest[k]);
    if (run->check != DPOR_LINEARIZABLE)
        return;
    dpor_scenario_look(run, &search, 1, 1, 0);
    if (search.found)
        dpor_scenario_record_order(run, text, "sequentially consistent", &search.nearest[0]);
}

/* How the calls stand: records; and where a promise about them is asked for, lines of the calls that have begun. */
static void dpor_scenario_standing(void *into)
{
    struct dpor_scenario_text text = {(char *)into, (char *)into + DPOR_SCENARIO_TEXT - 1};
    const struct dpor_scenario_run *run = &dpor_scenario;
    int t, i;
    if (!run->object || run->lengths[0] == 0)
        return;
    dpor_scenario_record_calls(run, &text);
    if (run->check != DPOR_PROGRESS) {
        dpor_scenario_record_orders(run, &text);
        return;
    }
    for (t = 0; t < run->threads; t++) {
        dpor_scenario_add(&text, "T");
        dpor_scenario_add_number(&text, t + 1);
        dpor_scenario_add(&text, ": ");
        for (i = 0; i < run->lengths[t] && run->calls[t][i].state; i++) {
            dpor_scenario_add(&text, i ? ", " : "");
            dpor_scenario_add(&text, run->object->names[run->calls[t][i].call]);
            dpor_scenario_add(&text, run->calls[t][i].state == 1 ? " has begun" : " has ended");
        }
        dpor_scenario_add(&text, i ? "\n" : "no call has begun\n");
    }
}

#ifndef DPOR_SCENARIO_FIXED
/* The names of the calls of a test, a line each. */
static void dpor_scenario_print_calls(const struct dpor_scenario_object *object)
{
    static char line[DPOR_SCENARIO_TEXT];
    int k;
    for (k = 0; k < object->calls; k++) {
        struct dpor_scenario_text text = {line, line + sizeof line - 1};
        dpor_scenario_add_field(&text, object->names[k]);
        printf("call %s\n", line + 1);
    }
}
#endif

#endif
