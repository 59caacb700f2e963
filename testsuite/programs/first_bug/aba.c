// Treiber's stack with nodes that come back: a thread that pops has read what lies below the top when another pops
// two and pushes the first again. The exchange succeeds, and the second node, which its owner has, is on the stack.
//@ expect: bug
//@ kind: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) below;
    atomic_int owners;
};

static struct node nodes[3];
static _Atomic(struct node *) top;

static void push(struct node *node) {
    struct node *old = atomic_load(&top);
    do
        atomic_store(&node->below, old);
    while (!atomic_compare_exchange_strong(&top, &old, node));
}

static struct node *pop(void) {
    struct node *old = atomic_load(&top);
    while (old && !atomic_compare_exchange_strong(&top, &old, atomic_load(&old->below))) {
    }
    if (old) {
        int before = atomic_fetch_add(&old->owners, 1);
        assert(before == 0);
    }
    return old;
}

static void give_back(struct node *node) {
    atomic_fetch_sub(&node->owners, 1);
    push(node);
}

static void *takes(void *unused) {
    pop();
    pop();
    return unused;
}

static void *returns(void *unused) {
    struct node *first = pop();
    pop();
    if (first) give_back(first);
    return unused;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 3; i++) push(&nodes[i]);
    pthread_create(&a, 0, takes, 0);
    pthread_create(&b, 0, returns, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
