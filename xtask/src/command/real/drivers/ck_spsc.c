// A producer and a consumer on a ring of the Concurrency Kit, for ever. Its positions only grow.
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>
#include <stddef.h>
enum { SIZE = 4 };
static ck_ring_t ring;
static ck_ring_buffer_t buffer[SIZE];
static int entries[2];
static void *consume(void *unused) {
    for (int expected = 0;;) {
        int *entry;
        if (!ck_ring_dequeue_spsc(&ring, buffer, &entry)) continue;
        assert(entry == &entries[expected]);
        expected ^= 1;
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    ck_ring_init(&ring, SIZE);
    pthread_create(&thread, NULL, consume, NULL);
    for (int next = 0;; next ^= 1) {
        while (!ck_ring_enqueue_spsc(&ring, buffer, &entries[next])) {
        }
    }
}
