/* One scenario as a program of its own (`dpor scenario --emit`). A part of scenario_core.h. */
#ifndef DPOR_SCENARIO_EMIT_H
#define DPOR_SCENARIO_EMIT_H

/* Orders at most: a program that lists more is for nobody to read. */
#define DPOR_SCENARIO_ORDERS 1000

/* An order that is being made. */
struct dpor_scenario_emitted {
    int length, count;
    /* What is in it: of each thread, and in the order. */
    unsigned taken[DPOR_SCENARIO_THREADS];
    int threads[DPOR_SCENARIO_CALLS], numbers[DPOR_SCENARIO_CALLS], results[DPOR_SCENARIO_CALLS];
};

/* A text as C has it. */
static void dpor_scenario_quote(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            printf("\\%c", byte);
        else if (byte < ' ' || byte == 127)
            printf("\\%03o", byte);
        else
            putchar(byte);
    }
    putchar('"');
}

static void dpor_scenario_emit_step(const struct dpor_scenario_run *run, int thread, int number, int result, int is_first)
{
    int call = run->calls[thread][number].call;
    printf("%s{%d, ", is_first ? "" : ", ", thread + 1);
    dpor_scenario_quote(run->object->names[call]);
    printf(", ");
    if (result == DPOR_CALL_WAITS)
        printf("0");
    else
        dpor_scenario_quote(run->object->text(run->object->self, call, result));
    printf("}");
}

/* Writes the order if it may be the last thing that happens: each thread's calls up to one, behind which the next would wait. */
static void dpor_scenario_emit_order(const struct dpor_scenario_run *run, struct dpor_scenario_emitted *order, size_t word)
{
    int t, k, next[DPOR_SCENARIO_THREADS];
    for (t = 0; t < run->threads; t++) {
        int call;
        for (k = 0; order->taken[t] >> k & 1; k++) { }
        next[t] = k;
        if (order->taken[t] >> k)
            return;
        if (k == run->lengths[t])
            continue;
        call = run->calls[t][k].call;
        if (dpor_scenario_result(run, order->length + 1, word * (size_t)run->object->calls + (size_t)call) != DPOR_CALL_WAITS)
            return;
    }
    if (order->count++ >= DPOR_SCENARIO_ORDERS)
        return;
    printf("    {");
    for (k = 0; k < order->length; k++)
        dpor_scenario_emit_step(run, order->threads[k], order->numbers[k], order->results[k], k == 0);
    for (t = 0; t < run->threads; t++)
        if (next[t] < run->lengths[t])
            dpor_scenario_emit_step(run, t, next[t], DPOR_CALL_WAITS, k++ == 0);
    printf("},\n");
}

/* Writes the orders that begin with this one: of `quiescent` those, too, that do not keep a thread's. */
static void dpor_scenario_emit_orders(const struct dpor_scenario_run *run, struct dpor_scenario_emitted *order, size_t word)
{
    int t, i;
    dpor_scenario_emit_order(run, order, word);
    for (t = 0; t < run->threads; t++)
        for (i = 0; i < run->lengths[t] && order->count <= DPOR_SCENARIO_ORDERS; i++) {
            size_t with = word * (size_t)run->object->calls + (size_t)run->calls[t][i].call;
            int is_next = !(order->taken[t] >> i & 1), result;
            if (!is_next || (i > 0 && run->check != DPOR_QUIESCENT && !(order->taken[t] >> (i - 1) & 1)))
                continue;
            result = dpor_scenario_result(run, order->length + 1, with);
            if (result < 0)
                continue;
            order->threads[order->length] = t;
            order->numbers[order->length] = i;
            order->results[order->length++] = result;
            order->taken[t] |= 1u << i;
            dpor_scenario_emit_orders(run, order, with);
            order->taken[t] &= ~(1u << i);
            order->length--;
        }
}

static int dpor_scenario_emit(struct dpor_scenario_run *run, int number)
{
    static const char *const questions[] = {"linearizable", "sequentially-consistent", "quiescent"};
    struct dpor_scenario_emitted order;
    int t, i, k;
    if (number >= run->count)
        return 2;
    for (i = 0; i < run->object->calls; i++)
        for (k = 0; k < i; k++)
            if (!strcmp(run->object->names[i], run->object->names[k])) {
                fprintf(stderr, "two calls have the name %s\n", run->object->names[i]);
                return 3;
            }
    dpor_scenario_take(run, number);
    printf("dpor scenario begins\nstatic void *scenario_object;\n\n");
    for (t = 0; t < run->threads; t++) {
        printf("static void *scenario_thread_%d(void *none)\n{\n", t + 1);
        for (i = 0; i < run->lengths[t]; i++) {
            printf("    dpor_fixed_call(scenario_object, %d, ", t + 1);
            dpor_scenario_quote(run->object->names[run->calls[t][i].call]);
            printf(");\n");
        }
        printf("    return none;\n}\n\n");
    }
    printf("/* All orders of the calls, one after the other: thread, call, and what it returns there (0: it waits). */\n"
           "static const struct dpor_fixed_step scenario_orders[][DPOR_SCENARIO_CALLS + 1] = {\n");
    memset(&order, 0, sizeof order);
    dpor_scenario_emit_orders(run, &order, 0);
    if (order.count > DPOR_SCENARIO_ORDERS) {
        fprintf(stderr, "its calls have more than %d orders\n", DPOR_SCENARIO_ORDERS);
        return 3;
    }
    printf("};\n\nint main(void)\n{\n    static const int calls[] = {");
    for (t = 0; t < run->threads; t++)
        printf("%s%d", t ? ", " : "", run->lengths[t]);
    printf("};\n    pthread_t threads[%d];\n", run->threads);
    printf("    scenario_object = dpor_fixed_begin(\"%s\", %d, calls, scenario_orders, %d);\n", questions[run->check],
           run->threads, order.count);
    for (t = 0; t < run->threads; t++)
        printf("    pthread_create(&threads[%d], 0, scenario_thread_%d, 0);\n", t, t + 1);
    for (t = 0; t < run->threads; t++)
        printf("    pthread_join(threads[%d], 0);\n", t);
    printf("    /* Fails unless one of the orders has the results%s. */\n",
           run->check == DPOR_LINEARIZABLE ? ", and has calls behind those that had returned before they began" : "");
    printf("    dpor_fixed_expect(scenario_object);\n    dpor_fixed_drop(scenario_object);\n    return 0;\n}\n"
           "dpor scenario ends\n");
    return 0;
}

#endif
