/* ck_stack for several who push and several who pop. Its entries are not used again while it lives. */
#include <ck_stack.h>
#include <dpor/scenario.h>

struct node {
    ck_stack_entry_t entry;
    long value;
};

struct stack {
    ck_stack_t stack;
    struct node nodes[8];
    int used;
};

static void *make(void)
{
    struct stack *it = calloc(1, sizeof *it);
    ck_stack_init(&it->stack);
    return it;
}

static long push(void *object, long value)
{
    struct stack *it = object;
    struct node *node = &it->nodes[__atomic_fetch_add(&it->used, 1, __ATOMIC_RELAXED)];
    node->value = value;
    ck_stack_push_upmc(&it->stack, &node->entry);
    return 0;
}

static long pop(void *object, long none)
{
    struct stack *it = object;
    ck_stack_entry_t *entry = ck_stack_pop_upmc(&it->stack);
    (void)none;
    return entry ? ((struct node *)entry)->value : 0;
}

DPOR_SCENARIO(ck_stack, make, free,
    DPOR_OPERATION("push", push, DPOR_VALUES(1, 2)),
    DPOR_OPERATION("pop", pop))
