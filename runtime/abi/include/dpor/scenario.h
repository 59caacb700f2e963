/* Tests of a data structure in C from its operations; dpor/scenario.hpp does the same for C++. `dpor scenario FILE` compiles
 * and checks; a program that dpor-cc built with this header is checked by `dpor scenario PROGRAM`.
 *
 *   #include <dpor/scenario.h>
 *   static void *make(void) { return calloc(1, sizeof(struct counter)); }
 *   static long add(void *object, long n) { return counter_add(object, n); }
 *   static long get(void *object, long none) { return counter_get(object); }
 *   DPOR_SCENARIO(counter, make, free,
 *       DPOR_OPERATION("add", add, DPOR_VALUES(1, 2)),
 *       DPOR_OPERATION("get", get))
 *
 * An operation without values is called with 0. What calls return one after the other is learnt from the object itself,
 * made anew and used by one thread. Of an operation besides, in any order:
 *   DPOR_WAITS(condition)   int condition(void *object, long argument): the call would wait for another one
 *   DPOR_BY_ONE_THREAD(1)   in a scenario one thread makes all calls of the operations that have this number
 *   DPOR_ALIKE(1, 2)        instead of DPOR_VALUES: nothing depends on which of them it is; scenarios that are the same but
 *                           for an exchange are run once. That is taken for true, and not looked at.
 * Among the operations may stand, with `int condition(void *object)`:
 *   DPOR_VALIDATE("in order", condition)        has to hold when all calls returned
 *   DPOR_INVARIANT_OF("bounded", condition)     has to hold after every step while calls are made; it reads memory and nothing
 *                                               else. Four of them at most. */
#ifndef DPOR_SCENARIO_H
#define DPOR_SCENARIO_H

#include <dpor/scenario_core.h>

/* An operation. */
struct dpor_operation {
    const char *name;
    long (*call)(void *object, long argument);
    const long *values;
    int value_count, are_alike;
    int (*waits)(void *object, long argument);
    int role;
    /* No operation: what has to hold, always, or when all calls returned. */
    int (*holds)(void *object);
    int is_invariant;
};

#define DPOR_OPERATION(text, ...) { .name = text, .call = __VA_ARGS__ }
#define DPOR_VALIDATE(text, condition) { .name = text, .holds = condition }
#define DPOR_INVARIANT_OF(text, condition) { .name = text, .holds = condition, .is_invariant = 1 }
#define DPOR_VALUES(...)                                                                                                  \
    .values = (const long[]){__VA_ARGS__}, .value_count = (int)(sizeof((const long[]){__VA_ARGS__}) / sizeof(long))
#define DPOR_ALIKE(...) DPOR_VALUES(__VA_ARGS__), .are_alike = 1
#define DPOR_WAITS(condition) .waits = condition
#define DPOR_BY_ONE_THREAD(number) .role = number

/* An operation with a value, and what it returned in sequences of calls. */
struct dpor_made_call {
    const struct dpor_operation *operation;
    long argument;
    /* Number of the first call of the operation, and of the value. */
    int first, value;
    int count;
    long *results;
    char **texts;
};

struct dpor_made_object {
    struct dpor_operation *operations;
    int count;
    void *(*make)(void);
    void (*drop)(void *object);
    struct dpor_made_call *calls;
};

static void *dpor_made_create(void *self, int is_sequential)
{
    (void)is_sequential;
    return ((struct dpor_made_object *)self)->make();
}

static void dpor_made_destroy(void *self, void *object, int is_sequential)
{
    (void)is_sequential;
    ((struct dpor_made_object *)self)->drop(object);
}

static int dpor_made_waits(void *self, void *object, int call)
{
    const struct dpor_made_call *made = &((struct dpor_made_object *)self)->calls[call];
    return made->operation->waits && made->operation->waits(object, made->argument);
}

static int dpor_made_make(void *self, void *object, int call, int is_sequential, char *unknown)
{
    struct dpor_made_call *made = &((struct dpor_made_object *)self)->calls[call];
    long result = made->operation->call(object, made->argument);
    int k;
    for (k = 0; k < made->count; k++)
        if (made->results[k] == result)
            return k;
    if (!is_sequential) {
        if (unknown)
            snprintf(unknown, DPOR_SCENARIO_RESULT, "%ld", result);
        return DPOR_CALL_UNKNOWN;
    }
    made->count++;
    made->results = (long *)realloc(made->results, (size_t)made->count * sizeof *made->results);
    made->texts = (char **)realloc(made->texts, (size_t)made->count * sizeof *made->texts);
    made->results[k] = result;
    made->texts[k] = (char *)malloc(DPOR_SCENARIO_RESULT);
    snprintf(made->texts[k], DPOR_SCENARIO_RESULT, "%ld", result);
    return k;
}

static const char *dpor_made_text(void *self, int call, int result)
{
    return ((struct dpor_made_object *)self)->calls[call].texts[result];
}

static const char *dpor_made_broken(void *self, void *object)
{
    const struct dpor_made_object *made = (const struct dpor_made_object *)self;
    int k;
    for (k = 0; k < made->count; k++) {
        const struct dpor_operation *stated = &made->operations[k];
        if (stated->holds && !stated->is_invariant && !stated->holds(object))
            return stated->name;
    }
    return 0;
}

/* Invariants, each with a function of its own. */
#define DPOR_MADE_INVARIANTS 4
static int (*dpor_made_invariants[DPOR_MADE_INVARIANTS])(void *object);
static int dpor_made_look(int number)
{
    return !dpor_scenario.shared || dpor_made_invariants[number](dpor_scenario.shared);
}
static int dpor_made_look_0(void) { return dpor_made_look(0); }
static int dpor_made_look_1(void) { return dpor_made_look(1); }
static int dpor_made_look_2(void) { return dpor_made_look(2); }
static int dpor_made_look_3(void) { return dpor_made_look(3); }

static void dpor_made_invariant(const struct dpor_operation *stated)
{
    static int (*const looks[])(void) = {dpor_made_look_0, dpor_made_look_1, dpor_made_look_2, dpor_made_look_3};
    static int count;
    if (count == DPOR_MADE_INVARIANTS) {
        dpor_scenario_refuse("there are more than four invariants");
        return;
    }
    dpor_made_invariants[count] = stated->holds;
    dpor_invariant_named(stated->name, looks[count++]);
}

/* The exchange of alike values whose number this is, one after the other in the order of the alphabet: 0 when there is no
 * next one. */
static int dpor_made_permute(int *map, int count)
{
    int k = count - 1, other = count - 1, last;
    while (k > 0 && map[k - 1] >= map[k])
        k--;
    if (k <= 0)
        return 0;
    while (map[other] <= map[k - 1])
        other--;
    last = map[k - 1];
    map[k - 1] = map[other];
    map[other] = last;
    for (other = count - 1; k < other; k++, other--) {
        last = map[k];
        map[k] = map[other];
        map[other] = last;
    }
    return 1;
}

/* Tables of calls, one for each exchange of alike values, if all lists of them are as long. */
static void dpor_made_maps(struct dpor_scenario_object *object, const struct dpor_made_call *calls)
{
    int map[32], alike = 0, k, *maps = 0;
    for (k = 0; k < object->calls; k++)
        if (calls[k].operation->are_alike && calls[k].operation->value_count > alike)
            alike = calls[k].operation->value_count;
    for (k = 0; k < object->calls; k++)
        if (calls[k].operation->are_alike && calls[k].operation->value_count != alike)
            return;
    if (alike > (int)(sizeof map / sizeof *map))
        return;
    for (k = 0; k < alike; k++)
        map[k] = k;
    while (dpor_made_permute(map, alike)) {
        size_t width = (size_t)object->calls * sizeof *maps;
        maps = (int *)realloc(maps, (size_t)(object->map_count + 1) * width);
        for (k = 0; k < object->calls; k++) {
            int value = calls[k].operation->are_alike ? map[calls[k].value] : calls[k].value;
            maps[object->map_count * object->calls + k] = calls[k].first + value;
        }
        object->map_count++;
    }
    object->maps = maps;
}

/* What DPOR_SCENARIO says. */
static const struct dpor_scenario_object *dpor_made_of(const char *name, const char *file, void *(*make)(void),
                                                       void (*drop)(void *), const struct dpor_operation *operations,
                                                       int count)
{
    static struct dpor_made_object self;
    static struct dpor_scenario_object object;
    char **names = 0;
    int k, value, *roles = 0;
    self.make = make;
    self.drop = drop;
    self.operations = (struct dpor_operation *)malloc((size_t)count * sizeof *operations);
    memcpy(self.operations, operations, (size_t)count * sizeof *operations);
    self.count = count;
    for (k = 0; k < count; k++) {
        const struct dpor_operation *operation = &self.operations[k];
        int values = operation->value_count, first = object.calls;
        if (operation->holds) {
            if (operation->is_invariant)
                dpor_made_invariant(operation);
            continue;
        }
        for (value = 0; value == 0 || value < values; value++) {
            struct dpor_made_call *made;
            size_t room = strlen(operation->name) + 32;
            self.calls = (struct dpor_made_call *)realloc(self.calls, (size_t)(object.calls + 1) * sizeof *self.calls);
            names = (char **)realloc(names, (size_t)(object.calls + 1) * sizeof *names);
            roles = (int *)realloc(roles, (size_t)(object.calls + 1) * sizeof *roles);
            roles[object.calls] = operation->role;
            made = &self.calls[object.calls];
            memset(made, 0, sizeof *made);
            made->operation = operation;
            made->first = first;
            made->value = value;
            names[object.calls] = (char *)malloc(room);
            snprintf(names[object.calls], room, "%s()", operation->name);
            if (values) {
                made->argument = operation->values[value];
                snprintf(names[object.calls], room, "%s(%ld)", operation->name, made->argument);
            }
            object.calls++;
        }
    }
    object.name = name;
    object.file = file;
    object.names = (const char *const *)names;
    object.roles = roles;
    object.self = &self;
    object.create = dpor_made_create;
    object.destroy = dpor_made_destroy;
    object.waits = dpor_made_waits;
    object.make = dpor_made_make;
    object.text = dpor_made_text;
    object.broken = dpor_made_broken;
    dpor_made_maps(&object, self.calls);
    return &object;
}

#define DPOR_SCENARIO_STATED(function, name, make, drop, ...)                                                             \
    static const struct dpor_scenario_object *function(void)                                                              \
    {                                                                                                                     \
        const struct dpor_operation operations[] = {__VA_ARGS__};                                                  \
        return dpor_made_of(#name, __BASE_FILE__, make, drop, operations, (int)(sizeof operations / sizeof *operations));      \
    }

#ifdef DPOR_SCENARIO_FIXED
#define DPOR_SCENARIO(name, make, drop, ...) DPOR_SCENARIO_STATED(dpor_fixed_object, name, make, drop, __VA_ARGS__)
#else
#define DPOR_SCENARIO(name, make, drop, ...)                                                                              \
    DPOR_SCENARIO_STATED(dpor_made_object, name, make, drop, __VA_ARGS__)                                                 \
    int main(int argc, char **argv) { return dpor_scenario_main(dpor_made_object(), argc, argv); }
#endif

#endif
