// Michael and Scott's queue (PODC 1996): two threads put one node each in, a third takes one out or finds nothing. A turn
// whose exchanges all fail changes nothing; it is the last of its thread. Counted by brute force:
// testsuite/tests/suite/turns.rs.
//@ expect: verified
//@ args: --reductions=none
//@ opt: O0 O2
//@ executions: 26
//@ blocked: 44
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

#ifndef PUT
#define PUT 2
#endif
#ifndef TAKE
#define TAKE 1
#endif

static struct node nodes[PUT + 1];
static _Atomic(struct node *) head, tail;

static void *put(void *arg) {
    struct node *node = arg;
    node->value = 1;
    atomic_store(&node->next, NULL);
    for (;;) {
        struct node *last = atomic_load(&tail), *next = atomic_load(&last->next);
        if (last != atomic_load(&tail)) continue;
        if (next == NULL) {
            struct node *none = NULL;
            if (atomic_compare_exchange_strong(&last->next, &none, node)) {
                atomic_compare_exchange_strong(&tail, &last, node);
                return NULL;
            }
        } else {
            atomic_compare_exchange_strong(&tail, &last, next);
        }
    }
}

static void *take(void *unused) {
    for (;;) {
        struct node *first = atomic_load(&head), *last = atomic_load(&tail);
        struct node *next = atomic_load(&first->next);
        if (first != atomic_load(&head)) continue;
        if (first == last) {
            if (next == NULL) return unused;
            atomic_compare_exchange_strong(&tail, &last, next);
        } else {
            int value = next->value;
            if (atomic_compare_exchange_strong(&head, &first, next)) {
                assert(value == 1);
                return unused;
            }
        }
    }
}

int main(void) {
    pthread_t threads[PUT + TAKE];
    atomic_store(&head, &nodes[0]);
    atomic_store(&tail, &nodes[0]);
    for (int i = 0; i < PUT; i++) {
        pthread_create(&threads[i], NULL, put, &nodes[i + 1]);
    }
    for (int i = 0; i < TAKE; i++) {
        pthread_create(&threads[PUT + i], NULL, take, NULL);
    }
    for (int i = 0; i < PUT + TAKE; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
