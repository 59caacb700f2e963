// A compare-exchange that its loop tries again with what it found: a failure is like a later look of its thread, so that
// it waits until it succeeds, and executions in which it never does are blocked. What comes out is what every
// interleaving of the loops as they are brings out (`dfs`).
// Counted by brute force: testsuite/tests/suite/turns.rs.
//@ expect: verified
//@ revisions: stack in_node in_node_peeled three one_thread mixed weak
//@ opt: O0 O1 O2
//@ dfs: same-outcomes
//@ args: --reductions=none
//@[stack] executions: 8
//@[stack] blocked: 6
//@[in_node] opt: O0
//@[in_node] cflags: -DIN_NODE
//@[in_node] executions: 8
//@[in_node] blocked: 6
//@[in_node_peeled] opt: O1 O2
//@[in_node_peeled] cflags: -DIN_NODE
//@[three] cflags: -DTHREE
//@[three] executions: 6
//@[three] blocked: 15
//@[one_thread] cflags: -DONE
//@[one_thread] executions: 4
//@[one_thread] blocked: 3
//@[mixed] cflags: -DMIXED
//@[weak] cflags: -DTHREE -DWEAK
//@[weak] executions: 6
//@[weak] blocked: 15
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static void *change(void *unused) {
    (void)unused;
    static atomic_int x;
#if defined THREE && defined WEAK
    int e = atomic_load_explicit(&x, memory_order_relaxed);
    do {
    } while (!atomic_compare_exchange_weak_explicit(&x, &e, e * 3 + 1, memory_order_acq_rel, memory_order_relaxed));
#else
    int e = atomic_load(&x);
    while (!atomic_compare_exchange_strong(&x, &e, e * 3 + 1)) {
    }
#endif
    dpor_observe("change", e);
    return NULL;
}

#if defined THREE
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, change, NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    return 0;
}
#elif defined ONE
static atomic_int counter;

static void *count(void *unused) {
    for (int i = 1; i <= 3; i++) atomic_store(&counter, i);
    return unused;
}

int main(void) {
    (void)change;
    pthread_t a;
    pthread_create(&a, NULL, count, NULL);
    int e = atomic_load(&counter);
    while (!atomic_compare_exchange_strong(&counter, &e, e + 100)) {
    }
    pthread_join(a, NULL);
    dpor_observe("found", e);
    return 0;
}
#elif defined MIXED
// With a loop that waits for what the exchanges make, a store without a look, an addition, and a plain place.
static atomic_int x, done;
static int place;

static void *doubles(void *unused) {
    int e = atomic_load_explicit(&x, memory_order_acquire);
    do {
        place = e;
    } while (!atomic_compare_exchange_strong_explicit(&x, &e, e * 2, memory_order_acq_rel, memory_order_acquire));
    atomic_store_explicit(&done, 1, memory_order_release);
    return unused;
}

static void *adds(void *unused) {
    atomic_fetch_add(&x, 3);
    int e = atomic_load(&x);
    while (e < 40 && !atomic_compare_exchange_strong(&x, &e, e + 10)) {
    }
    dpor_observe("adds", e);
    return unused;
}

static void *waits(void *unused) {
    while (!atomic_load_explicit(&done, memory_order_acquire)) {
    }
    dpor_observe("place", place);
    atomic_store(&x, 50);
    return unused;
}

int main(void) {
    (void)change;
    pthread_t a, b, c;
    atomic_store(&x, 1);
    pthread_create(&a, NULL, doubles, NULL);
    pthread_create(&b, NULL, adds, NULL);
    pthread_create(&c, NULL, waits, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    dpor_observe("x", x);
    return 0;
}
#else
struct node {
    int value;
    struct node *next;
};

static struct node nodes[2];
static _Atomic(struct node *) top;

static void *push(void *argument) {
    struct node *n = argument;
    n->value = (int)(n - nodes) + 1;
#ifdef IN_NODE
    n->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &n->next, n)) {
    }
#else
    struct node *t = atomic_load(&top);
    do n->next = t;
    while (!atomic_compare_exchange_strong(&top, &t, n));
#endif
    return NULL;
}

static void *pop(void *unused) {
    struct node *t = atomic_load(&top);
    while (t && !atomic_compare_exchange_strong(&top, &t, t->next)) {
    }
    dpor_observe("popped", t ? t->value : 0);
    return unused;
}

int main(void) {
    (void)change;
    pthread_t a, b, c;
    pthread_create(&a, NULL, push, &nodes[0]);
    pthread_create(&b, NULL, push, &nodes[1]);
    pthread_create(&c, NULL, pop, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    dpor_observe("top", top ? top->value : 0);
    return 0;
}
#endif
