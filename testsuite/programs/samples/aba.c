// A stack of numbered nodes. A thread that pops reads the top and what lies below, and swings the top if it is
// still the same. Between, another pops both nodes and pushes the first again: the top is the same, what lies
// below is not, and the second node is on the stack although it was taken.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

// Node 2 lies on node 1; 0 is the end.
static _Atomic int top = 2, below[3] = {0, 0, 1};
static _Atomic int taken[3];

static int pop(void) {
    int node = top;
    if (node == 0)
        return 0;
    int next = below[node];
    return atomic_compare_exchange_strong(&top, &node, next) ? node : 0;
}

static void push(int node) {
    int next = top;
    below[node] = next;
    atomic_compare_exchange_strong(&top, &next, node);
}

static void *once(void *unused) {
    int node = pop();
    if (node)
        taken[node]++;
    return unused;
}

static void *again(void *unused) {
    int first = pop();
    int second = pop();
    if (second)
        taken[second]++;
    if (first)
        push(first);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, once, 0);
    pthread_create(&b, 0, again, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(top == 0 || taken[top] == 0);
}
