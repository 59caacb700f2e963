/* Whether an order of the calls of a scenario, one after the other, explains what they returned, and what is told if none
 * does. A part of scenario_core.h. Nothing here writes to memory but to what it is given: at the end of an execution in
 * which threads wait, the checker runs it, and not a thread. */
#ifndef DPOR_SCENARIO_JUDGE_H
#define DPOR_SCENARIO_JUDGE_H

/* An order that is looked for: the calls so far, and what is known of it. */
struct dpor_scenario_order {
    /* Bits of the calls that are in it, and the number of the sequence. */
    unsigned taken;
    size_t word;
    int length;
    /* The next call of each thread. */
    int next[DPOR_SCENARIO_THREADS];
    int threads[DPOR_SCENARIO_CALLS], numbers[DPOR_SCENARIO_CALLS];
    /* Calls whose result is another one. */
    int differing;
};

/* Orders that come nearest. */
#define DPOR_SCENARIO_NEAREST 3
struct dpor_scenario_search {
    /* 1: the first order that explains all is enough. */
    int is_exact;
    /* 1: each thread's calls stay in order, and so do those of which one returned before the other began. */
    int by_thread, by_time;
    int found;
    int nearest_count, nearest_differing;
    struct dpor_scenario_order nearest[DPOR_SCENARIO_NEAREST];
};

/* The calls that have to be in an order before this one. */
static unsigned dpor_scenario_needed(const struct dpor_scenario_run *run, int thread, int number)
{
    const struct dpor_scenario_call *made = &run->calls[thread][number];
    unsigned needed = 0, found = made->before;
    int t, i;
    if (run->check == DPOR_LINEARIZABLE)
        return made->before;
    if (run->check == DPOR_SEQUENTIALLY_CONSISTENT)
        return 0;
    /* The last call that found nothing going on, up to this one: what had returned then is before it. */
    for (t = 0; t < run->threads; t++)
        for (i = 0; i < run->lengths[t]; i++) {
            unsigned other = run->calls[t][i].before;
            int is_quiet = run->calls[t][i].state > 0 && other >> 16 == (other & 0xffff);
            /* Each that begins adds a bit, so that what they find grows. */
            if (is_quiet && (other & ~found) == 0)
                needed |= other & 0xffff;
        }
    return needed;
}

/* Whether all calls that have returned are in the order and those that wait would wait behind it. */
static int dpor_scenario_ends_right(const struct dpor_scenario_run *run, const struct dpor_scenario_order *order)
{
    int t, i;
    for (t = 0; t < run->threads; t++)
        for (i = 0; i < run->lengths[t]; i++) {
            const struct dpor_scenario_call *made = &run->calls[t][i];
            size_t word = order->word * (size_t)run->object->calls + (size_t)made->call;
            if (made->state == 1 && dpor_scenario_result(run, order->length + 1, word) != DPOR_CALL_WAITS)
                return 0;
        }
    return 1;
}

static void dpor_scenario_orders(const struct dpor_scenario_run *run, struct dpor_scenario_search *search,
                                 const struct dpor_scenario_order *order, int returned)
{
    int t, i;
    if (search->is_exact && search->found)
        return;
    if (order->length == returned) {
        int is_right = dpor_scenario_ends_right(run, order);
        int differing = order->differing + !is_right;
        search->found |= differing == 0;
        if (search->nearest_count == 0 || differing < search->nearest_differing) {
            search->nearest_count = 0;
            search->nearest_differing = differing;
        }
        if (differing == search->nearest_differing && search->nearest_count < DPOR_SCENARIO_NEAREST)
            search->nearest[search->nearest_count++] = *order;
        return;
    }
    for (t = 0; t < run->threads; t++)
        for (i = search->by_thread ? order->next[t] : 0; i < run->lengths[t]; i++) {
            const struct dpor_scenario_call *made = &run->calls[t][i];
            unsigned bit = dpor_scenario_bit(t, i);
            struct dpor_scenario_order with = *order;
            int result;
            if (made->state == 2 && !(order->taken & bit) &&
                !(search->by_time && dpor_scenario_needed(run, t, i) & ~order->taken)) {
                with.taken |= bit;
                with.word = order->word * (size_t)run->object->calls + (size_t)made->call;
                with.threads[with.length] = t;
                with.numbers[with.length] = i;
                with.length++;
                with.next[t] = i + 1;
                result = dpor_scenario_result(run, with.length, with.word);
                with.differing += result != made->result;
                /* Where a call would wait, the order ends: it is none. */
                if (result >= 0 && (!search->is_exact || with.differing == 0))
                    dpor_scenario_orders(run, search, &with, returned);
            }
            if (search->by_thread)
                break;
        }
}

static void dpor_scenario_look(const struct dpor_scenario_run *run, struct dpor_scenario_search *search, int is_exact,
                               int by_thread, int by_time)
{
    struct dpor_scenario_order none;
    int t, i, returned = 0;
    __builtin_memset(&none, 0, sizeof none);
    __builtin_memset(search, 0, sizeof *search);
    search->is_exact = is_exact;
    search->by_thread = by_thread;
    search->by_time = by_time;
    for (t = 0; t < run->threads; t++)
        for (i = 0; i < run->lengths[t]; i++)
            returned += run->calls[t][i].state == 2;
    dpor_scenario_orders(run, search, &none, returned);
}

static int dpor_scenario_is_explained_as_found(const struct dpor_scenario_run *run)
{
    struct dpor_scenario_search search;
    dpor_scenario_look(run, &search, 1, run->check != DPOR_QUIESCENT, run->check != DPOR_SEQUENTIALLY_CONSISTENT);
    return search.found;
}

/* Orders in time, where calls marked their begins and ends. */

/* What is known of the marks, and an order of them: calls by their places, sets of calls as bits. */
struct dpor_scenario_times {
    /* With what calls find returned in the order. */
    struct dpor_scenario_run run;
    int count;
    unsigned began, returned;
    struct dpor_scenario_call *calls[DPOR_SCENARIO_CALLS];
    /* In all executions, of each call that returned: those that begin, and those that return, before it returns. */
    unsigned begins[DPOR_SCENARIO_CALLS], returns[DPOR_SCENARIO_CALLS];
};

static int dpor_scenario_is_marked(const struct dpor_scenario_run *run)
{
    int t, i;
    for (t = 0; t < run->threads; t++)
        for (i = 0; i < run->lengths[t]; i++)
            if (run->calls[t][i].is_marked)
                return 1;
    return 0;
}

/* Calls that begin now: they find those returned that are in the order. */
static void dpor_scenario_begin(struct dpor_scenario_times *times, unsigned calls, unsigned order)
{
    int k;
    for (k = 0; k < times->count; k++)
        if (calls >> k & 1)
            times->calls[k]->before = order;
}

/* Whether all orders in time that begin with these returns are explained, where the calls in `began` have begun.
 *
 * Of an order of the returns it is enough to look at the one in which each call begins as late as it can, right before the
 * first return that it has to come before: there it finds all returned that it finds in any other. */
static int dpor_scenario_explains_times(struct dpor_scenario_times *times, unsigned order, unsigned began)
{
    int k;
    if (order == times->returned) {
        dpor_scenario_begin(times, times->began & ~began, order);
        return dpor_scenario_is_explained_as_found(&times->run);
    }
    for (k = 0; k < times->count; k++) {
        unsigned begin = times->begins[k] & ~began;
        if ((times->returned & ~order) >> k & 1 && !(times->returns[k] & ~order)) {
            dpor_scenario_begin(times, begin, order);
            if (!dpor_scenario_explains_times(times, order | 1u << k, began | begin))
                return 0;
        }
    }
    return 1;
}

static int dpor_scenario_is_explained_always(const struct dpor_scenario_run *run)
{
    struct dpor_scenario_times times;
    int t, i, k, other;
    __builtin_memset(&times, 0, sizeof times);
    __builtin_memcpy(&times.run, run, sizeof *run);
    for (t = 0; t < run->threads; t++)
        for (i = 0; i < run->lengths[t]; i++) {
            times.began |= (unsigned)(run->calls[t][i].state > 0) << times.count;
            times.returned |= (unsigned)(run->calls[t][i].state == 2) << times.count;
            times.calls[times.count++] = &times.run.calls[t][i];
        }
    for (k = 0; k < times.count; k++) {
        unsigned before;
        if (!(times.returned >> k & 1))
            continue;
        before = dpor_marks_before(DPOR_CALL_ENDS(k));
        for (other = 0; other < times.count; other++) {
            times.begins[k] |= (before >> DPOR_CALL_BEGINS(other) & 1) << other;
            times.returns[k] |= (before >> DPOR_CALL_ENDS(other) & 1) << other;
        }
    }
    return dpor_scenario_explains_times(&times, 0, 0);
}

static int dpor_scenario_is_explained(const struct dpor_scenario_run *run)
{
    return dpor_scenario_is_marked(run) ? dpor_scenario_is_explained_always(run) : dpor_scenario_is_explained_as_found(run);
}

/* Text. */

struct dpor_scenario_text {
    char *at, *end;
};

static void dpor_scenario_add(struct dpor_scenario_text *text, const char *more)
{
    while (*more && text->at < text->end)
        *text->at++ = *more++;
    *text->at = 0;
}

static void dpor_scenario_add_number(struct dpor_scenario_text *text, int number)
{
    char digits[2] = {0, 0};
    if (number >= 10)
        dpor_scenario_add_number(text, number / 10);
    digits[0] = (char)('0' + number % 10);
    dpor_scenario_add(text, digits);
}

/* A call with a result: `pop() = 1`. */
static void dpor_scenario_add_call(const struct dpor_scenario_run *run, struct dpor_scenario_text *text, int call, int result,
                                   const char *unknown)
{
    const char *shown = result == DPOR_CALL_UNKNOWN ? unknown : "";
    if (result >= 0)
        shown = run->object->text(run->object->self, call, result);
    dpor_scenario_add(text, run->object->names[call]);
    if (result == DPOR_CALL_WAITS)
        dpor_scenario_add(text, " waits");
    else if (*shown) {
        dpor_scenario_add(text, " = ");
        dpor_scenario_add(text, shown);
    }
}

static void dpor_scenario_add_made(const struct dpor_scenario_run *run, struct dpor_scenario_text *text, int thread,
                                   int number)
{
    const struct dpor_scenario_call *made = &run->calls[thread][number];
    int result = made->state == 2 ? made->result : DPOR_CALL_WAITS;
    dpor_scenario_add_call(run, text, made->call, result, made->unknown);
}

/* Number of characters of a text in UTF-8. */
static int dpor_scenario_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

/* Whether calls keep what had returned when they began, so that they stand in one time. Those that are marked do not. */
static int dpor_scenario_is_timed(const struct dpor_scenario_run *run)
{
    return run->check == DPOR_LINEARIZABLE && !dpor_scenario_is_marked(run);
}

/* Where the calls that have begun stand in time: of each its first and its last column. A column begins where a call begins
 * that found other calls returned than those before it. Where time is not looked at, a call stands at its place among its
 * thread's. Returns the number of columns. */
static int dpor_scenario_columns(const struct dpor_scenario_run *run, int from[][DPOR_SCENARIO_LENGTH],
                                 int to[][DPOR_SCENARIO_LENGTH])
{
    unsigned marks[DPOR_SCENARIO_CALLS];
    int columns = 0, t, i, k, is_timed = dpor_scenario_is_timed(run);
    /* What calls found grows with the time: few bits first. */
    for (t = 0; t < run->threads && is_timed; t++)
        for (i = 0; i < run->lengths[t]; i++) {
            unsigned found = run->calls[t][i].before;
            if (run->calls[t][i].state == 0)
                continue;
            for (k = 0; k < columns && marks[k] != found; k++) { }
            if (k < columns)
                continue;
            for (k = columns++; k > 0 && __builtin_popcount(marks[k - 1]) > __builtin_popcount(found); k--)
                marks[k] = marks[k - 1];
            marks[k] = found;
        }
    for (t = 0; t < run->threads; t++)
        for (i = 0; i < run->lengths[t]; i++) {
            const struct dpor_scenario_call *made = &run->calls[t][i];
            from[t][i] = to[t][i] = i;
            if (!is_timed)
                columns = i + 1 > columns ? i + 1 : columns;
            if (made->state == 0 || !is_timed)
                continue;
            for (k = 0; marks[k] != made->before; k++) { }
            from[t][i] = k;
            while (k + 1 < columns && !(marks[k + 1] & dpor_scenario_bit(t, i)))
                k++;
            to[t][i] = k;
        }
    return columns;
}

/* The calls as a table: a line for each thread, time from left to right. */
static void dpor_scenario_add_table(const struct dpor_scenario_run *run, struct dpor_scenario_text *text)
{
    int width = 1, t, i;
    char shown[2 * DPOR_SCENARIO_RESULT];
    int from[DPOR_SCENARIO_THREADS][DPOR_SCENARIO_LENGTH], to[DPOR_SCENARIO_THREADS][DPOR_SCENARIO_LENGTH];
    dpor_scenario_columns(run, from, to);
    for (t = 0; t < run->threads; t++)
        for (i = 0; i < run->lengths[t]; i++) {
            struct dpor_scenario_text one = {shown, shown + sizeof shown - 1};
            int span = to[t][i] - from[t][i] + 1, needed;
            if (run->calls[t][i].state == 0)
                continue;
            dpor_scenario_add_made(run, &one, t, i);
            needed = (dpor_scenario_width(shown) + 3 + span - 1) / span;
            width = needed > width ? needed : width;
        }
    for (t = 0; t < run->threads; t++) {
        int at = 0;
        dpor_scenario_add(text, "T");
        dpor_scenario_add_number(text, t + 1);
        dpor_scenario_add(text, ": ");
        for (i = 0; i < run->lengths[t]; i++) {
            struct dpor_scenario_text one = {shown, shown + sizeof shown - 1};
            int end = (to[t][i] + 1) * width - 1;
            if (run->calls[t][i].state == 0)
                continue;
            for (; at < from[t][i] * width; at++)
                dpor_scenario_add(text, " ");
            dpor_scenario_add_made(run, &one, t, i);
            dpor_scenario_add(text, "[");
            dpor_scenario_add(text, shown);
            for (at += 1 + dpor_scenario_width(shown); at < end - 1; at++)
                dpor_scenario_add(text, " ");
            dpor_scenario_add(text, "]");
            at++;
        }
        dpor_scenario_add(text, "\n");
    }
}

/* An order of the calls with the results that they have in it, and which of them differ. */
static void dpor_scenario_add_order(const struct dpor_scenario_run *run, struct dpor_scenario_text *text,
                                    const struct dpor_scenario_order *order)
{
    size_t word = 0;
    int k, t, i;
    for (k = 0; k < order->length; k++) {
        const struct dpor_scenario_call *made = &run->calls[order->threads[k]][order->numbers[k]];
        int result;
        word = word * (size_t)run->object->calls + (size_t)made->call;
        result = dpor_scenario_result(run, k + 1, word);
        dpor_scenario_add(text, k ? ", " : "");
        dpor_scenario_add_call(run, text, made->call, result, "");
        if (result != made->result) {
            dpor_scenario_add(text, " (but T");
            dpor_scenario_add_number(text, order->threads[k] + 1);
            dpor_scenario_add(text, " has: ");
            dpor_scenario_add_made(run, text, order->threads[k], order->numbers[k]);
            dpor_scenario_add(text, ")");
        }
    }
    for (t = 0; t < run->threads; t++)
        for (i = 0; i < run->lengths[t]; i++)
            if (run->calls[t][i].state == 1) {
                dpor_scenario_add(text, order->length ? ", " : "");
                dpor_scenario_add_call(run, text, run->calls[t][i].call,
                                       dpor_scenario_result(run, order->length + 1,
                                                            order->word * (size_t)run->object->calls +
                                                                (size_t)run->calls[t][i].call),
                                       "");
            }
    dpor_scenario_add(text, "\n");
}

/* All that is told: the message in the first line, unless the threads wait. */
static void dpor_scenario_tell_all(const struct dpor_scenario_run *run, struct dpor_scenario_text *text,
                                   const char *broken, int is_stuck)
{
    static const char *const orders[] = {"no order of the calls, one after the other",
                                         "no order of the calls that keeps each thread's",
                                         "no order of the calls that keeps those with a quiet moment in between"};
    struct dpor_scenario_search search;
    int t, i, k;
    if (!is_stuck) {
        dpor_scenario_add(text, broken ? "what should be so is not" : orders[run->check]);
        if (broken) {
            dpor_scenario_add(text, " (");
            dpor_scenario_add(text, broken);
            dpor_scenario_add(text, ") behind the calls");
        } else
            dpor_scenario_add(text, ", has the results of");
        for (t = 0; t < run->threads; t++) {
            dpor_scenario_add(text, t ? " | " : " ");
            for (i = 0; i < run->lengths[t]; i++) {
                dpor_scenario_add(text, i ? ", " : "");
                dpor_scenario_add_made(run, text, t, i);
            }
        }
        dpor_scenario_add(text, "\n");
    }
    dpor_scenario_add_table(run, text);
    if (broken)
        return;
    dpor_scenario_look(run, &search, 0, run->check != DPOR_QUIESCENT, run->check != DPOR_SEQUENTIALLY_CONSISTENT);
    for (k = 0; k < search.nearest_count; k++) {
        dpor_scenario_add(text, k ? "or: " : "nearest order: ");
        dpor_scenario_add_order(run, text, &search.nearest[k]);
    }
    if (run->check != DPOR_LINEARIZABLE)
        return;
    dpor_scenario_look(run, &search, 1, 1, 0);
    if (search.found) {
        dpor_scenario_add(text, "sequentially consistent: ");
        dpor_scenario_add_order(run, text, &search.nearest[0]);
    }
}

static void dpor_scenario_tell(const struct dpor_scenario_run *run, char *into, const char *broken)
{
    struct dpor_scenario_text text = {into, into + DPOR_SCENARIO_TEXT - 1};
    dpor_scenario_tell_all(run, &text, broken, 0);
}

/* At the end of an execution in which threads wait for ever: writes nothing if they may. */
static void dpor_scenario_stuck(void *into)
{
    struct dpor_scenario_text text = {(char *)into, (char *)into + DPOR_SCENARIO_TEXT - 1};
    const struct dpor_scenario_run *run = &dpor_scenario;
    if (run->is_over) {
        /* Others wait: nothing is known of them, and so it is no right end. */
        dpor_scenario_add(&text, "\n");
        return;
    }
    /* That a call waits is an answer to the question for progress. */
    if (run->shared && (run->check == DPOR_PROGRESS || dpor_scenario_is_explained(run)))
        return;
    if (!run->shared) {
        dpor_scenario_add(&text, "the calls are made one after the other, by one thread, to learn what they return: say when "
                                 "a call waits (waits_when)\n");
        return;
    }
    dpor_scenario_tell_all(run, &text, 0, 1);
}

/* At the end of an execution: whether what the calls returned is explained in each order in time that they may have. */
__attribute__((unused)) static void dpor_scenario_ended(void *into)
{
    struct dpor_scenario_text text = {(char *)into, (char *)into + DPOR_SCENARIO_TEXT - 1};
    const struct dpor_scenario_run *run = &dpor_scenario;
    /* Where the process ended before, nothing is asked. */
    dpor_scenario_add(&text, !run->is_over || dpor_scenario_is_explained(run) ? "+" : "-");
    dpor_scenario_add_number(&text, run->number);
}

#endif
