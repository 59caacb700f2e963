// Vyukov's queue of many producers and one consumer: nodes are linked by the producers after the exchange of the head, a
// stub is in the queue when nothing else is. Two producers, each with one node that it pushes again when it is back, and
// a consumer that polls, for ever. Each producer's messages alternate.
// [link] The link is stored before the exchange: two producers link to the same node, one is lost, and waits for ever.
// [stub] The last node is handed out while it is the head still, the stub is not pushed again: its producer changes
// what is read.
//@ revisions: right waits link stub
//@ opt: O0 O2
//@[right] args: --states
//@[right] expect: verified
//@[waits] args: --no-starvation
//@[waits] expect: verified
//@[link] args: --no-starvation
//@[link] cflags: -DLINK
//@[link] expect: bug
//@[link] kind: starvation
//@[stub] args: --states
//@[stub] cflags: -DSTUB
//@[stub] expect: bug
//@[stub] kind: data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define PRODUCERS 2

struct node {
    _Atomic(struct node *) next;
    int producer, message;
    atomic_int is_away;
};

struct queue {
    _Atomic(struct node *) head;
    struct node *tail;
    struct node stub;
};

static struct queue queue;
static struct node nodes[PRODUCERS];

static void push(struct queue *queue, struct node *node) {
    atomic_store(&node->next, NULL);
#ifdef LINK
    struct node *before = atomic_load(&queue->head);
    atomic_store(&before->next, node);
    atomic_exchange(&queue->head, node);
#else
    struct node *before = atomic_exchange(&queue->head, node);
    atomic_store(&before->next, node);
#endif
}

static struct node *pop(struct queue *queue) {
    struct node *tail = queue->tail, *next = atomic_load(&tail->next);
    if (tail == &queue->stub) {
        if (!next) return NULL;
        queue->tail = tail = next;
        next = atomic_load(&tail->next);
    }
    if (!next) {
        if (tail != atomic_load(&queue->head)) return NULL;
#ifdef STUB
        return tail;
#else
        push(queue, &queue->stub);
        next = atomic_load(&tail->next);
        if (!next) return NULL;
#endif
    }
    queue->tail = next;
    return tail;
}

static void *produce(void *argument) {
    struct node *node = argument;
    node->producer = (int)(node - nodes);
    for (int message = 1;; message ^= 1) {
        node->message = message; //~[stub] race
        atomic_store(&node->is_away, 1);
        push(&queue, node);
        while (atomic_load(&node->is_away)) {
        }
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    int last[PRODUCERS] = {0};
    queue.tail = &queue.stub;
    atomic_store(&queue.head, &queue.stub);
    for (int n = 0; n < PRODUCERS; n++) pthread_create(&thread, NULL, produce, &nodes[n]);
    for (;;) {
        struct node *node = pop(&queue);
        if (!node) continue;
        assert(node->message != last[node->producer]); //~[stub] race
        last[node->producer] = node->message;
        atomic_store(&node->is_away, 0);
    }
}
