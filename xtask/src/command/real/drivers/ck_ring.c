// Two threads that put entries on a ring of the Concurrency Kit and take some off, so many rounds as the
// argument says. Nobody waits: who finds the ring empty goes on, and the first thread takes what is left.
// Every entry arrives once.
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { THREADS = 2, ROUNDS_MAX = 7, SIZE = 16 };

static ck_ring_t ring;
static ck_ring_buffer_t buffer[SIZE];
static int entries[THREADS][ROUNDS_MAX];
static int rounds;

static void take(void) {
    int *entry;
    if (ck_ring_dequeue_mpmc(&ring, buffer, &entry)) *entry += 1;
}

static void *work(void *argument) {
    int *own = argument;
    for (int k = 0; k < rounds; k++) {
        own[k] = 1;
        assert(ck_ring_enqueue_mpmc(&ring, buffer, &own[k]));
        take();
    }
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[THREADS];
    assert(count == 2);
    rounds = atoi(arguments[1]);
    assert(rounds <= ROUNDS_MAX);
    ck_ring_init(&ring, SIZE);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, entries[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    while (ck_ring_size(&ring) > 0)
        take();
    for (int t = 0; t < THREADS; t++)
        for (int k = 0; k < rounds; k++)
            assert(entries[t][k] == 2);
    return 0;
}
