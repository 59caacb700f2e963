// Treiber's stack (1986): PUSH threads put one node each on it, POP threads take one, or find nothing. No node comes back.
// An exchange that fails is like a later look, so it waits until it succeeds. One and one: who takes looks first, and finds
// nothing, or last. Two and one: testsuite/tests/suite/turns.rs, by brute force; `every_turn`: different orders of the
// loads and exchanges of `top`, counted by a program that goes through all interleavings, 20.
//@ expect: verified
//@ opt: O0 O2
//@ revisions: one two every_turn
//@[one] cflags: -DPUSH=1
//@[one] executions: 2
//@[two] executions: 8
//@[two] blocked: 6
//@[every_turn] args: --reductions=none,every-turn
//@[every_turn] executions: 20
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef PUSH
#define PUSH 2
#endif
#ifndef POP
#define POP 1
#endif

struct node {
    int value;
    struct node *below;
};

static struct node nodes[PUSH];
static _Atomic(struct node *) top;

static void *push(void *arg) {
    struct node *node = arg, *old = atomic_load(&top);
    node->value = 1;
    do {
        node->below = old;
    } while (!atomic_compare_exchange_strong(&top, &old, node));
    return NULL;
}

static void *pop(void *unused) {
    struct node *old = atomic_load(&top);
    while (old && !atomic_compare_exchange_strong(&top, &old, old->below)) {
    }
    if (old) assert(old->value == 1);
    return unused;
}

int main(void) {
    pthread_t threads[PUSH + POP];
    for (int i = 0; i < PUSH; i++) pthread_create(&threads[i], NULL, push, &nodes[i]);
    for (int i = 0; i < POP; i++) pthread_create(&threads[PUSH + i], NULL, pop, NULL);
    for (int i = 0; i < PUSH + POP; i++) pthread_join(threads[i], NULL);
    return 0;
}
