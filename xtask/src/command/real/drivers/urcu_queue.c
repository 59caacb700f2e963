// Two producers and a consumer on the wait-free queue of liburcu, so many items each as the argument says.
// Every item arrives once, those of one producer in their order; what is not there yet when the consumer
// looks is taken at the end.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <urcu/wfcqueue.h>

enum { PRODUCERS = 2, ITEMS_MAX = 8 };

struct item {
    struct cds_wfcq_node node;
    int producer;
    int number;
};

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct item items[PRODUCERS][ITEMS_MAX];
static int each;
static int seen[PRODUCERS];

static void *produce(void *argument) {
    struct item *own = argument;
    for (int k = 0; k < each; k++) {
        cds_wfcq_node_init(&own[k].node);
        own[k].producer = own != items[0];
        own[k].number = k + 1;
        cds_wfcq_enqueue(&head, &tail, &own[k].node);
    }
    return NULL;
}

static int take(void) {
    struct cds_wfcq_node *node = __cds_wfcq_dequeue_nonblocking(&head, &tail);
    if (node == NULL || node == CDS_WFCQ_WOULDBLOCK) return 0;
    struct item *item = caa_container_of(node, struct item, node);
    assert(item->number == ++seen[item->producer]);
    return 1;
}

int main(int count, char **arguments) {
    pthread_t producers[PRODUCERS];
    int taken = 0;
    assert(count == 2);
    each = atoi(arguments[1]);
    assert(each <= ITEMS_MAX);
    cds_wfcq_init(&head, &tail);
    for (int p = 0; p < PRODUCERS; p++)
        pthread_create(&producers[p], NULL, produce, items[p]);
    for (int look = 0; look < each; look++)
        taken += take();
    for (int p = 0; p < PRODUCERS; p++)
        pthread_join(producers[p], NULL);
    while (taken < PRODUCERS * each) {
        assert(take());
        taken++;
    }
    cds_wfcq_destroy(&head, &tail);
    return 0;
}
