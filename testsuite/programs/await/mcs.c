// The queue lock of Mellor-Crummey and Scott. Let A draw first. B draws after A has given the lock back: 1. B draws
// before that; A sees no successor, fails to take back the tail and waits for B to make itself known: 1; or A
// sees B: 1. Either may draw first: 6.
//@ expect: verified
//@ executions: 6
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int locked;
};

static _Atomic(struct node *) tail;
static struct node nodes[2];
static int shared;

static void lock(struct node *me) {
    atomic_store(&me->next, NULL);
    struct node *before = atomic_exchange(&tail, me);
    if (before) {
        atomic_store(&me->locked, 1);
        atomic_store(&before->next, me);
        while (atomic_load(&me->locked)) {
            __builtin_ia32_pause();
        }
    }
}

static void unlock(struct node *me) {
    struct node *after = atomic_load(&me->next);
    if (!after) {
        struct node *expected = me;
        if (atomic_compare_exchange_strong(&tail, &expected, NULL)) return;
        while (!(after = atomic_load(&me->next))) {
        }
    }
    atomic_store(&after->locked, 0);
}

static void *work(void *me) {
    lock(me);
    shared++;
    unlock(me);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, &nodes[0]);
    pthread_create(&b, NULL, work, &nodes[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shared == 2 ? 0 : 1;
}
