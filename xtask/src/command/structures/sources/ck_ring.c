/* ck_ring with room for three values, for several producers and several consumers. */
#include <ck_ring.h>
#include <dpor/scenario.h>

struct queue {
    ck_ring_t ring;
    ck_ring_buffer_t buffer[4];
    long values[3];
};

static void *make(void)
{
    struct queue *queue = calloc(1, sizeof *queue);
    for (long value = 0; value < 3; value++)
        queue->values[value] = value;
    ck_ring_init(&queue->ring, 4);
    return queue;
}

static long enqueue(void *object, long value)
{
    struct queue *queue = object;
    return ck_ring_enqueue_mpmc(&queue->ring, queue->buffer, &queue->values[value]);
}

static long dequeue(void *object, long none)
{
    struct queue *queue = object;
    long *value;
    (void)none;
    return ck_ring_dequeue_mpmc(&queue->ring, queue->buffer, &value) ? *value : 0;
}

DPOR_SCENARIO(ck_ring, make, free,
    DPOR_OPERATION("enqueue", enqueue, DPOR_VALUES(1, 2)),
    DPOR_OPERATION("dequeue", dequeue))
