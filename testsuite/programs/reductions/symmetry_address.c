// Threads that use what is their own: an atomic on their stack. They are said to be alike, and their
// first events are on different objects, so the reduction is given up: 2 orders of the tickets.
//@ expect: verified
//@ executions: 2
//@ args: --reductions=symmetry
#include <pthread.h>
#include <stdatomic.h>

static atomic_int tickets;
static int winner;

static void *draw(void *unused) {
    atomic_int own = 0;
    __asm__ volatile("" : : "r"(&own)); // Its address may be anywhere now.
    atomic_fetch_add(&own, atomic_load_explicit(&own, memory_order_relaxed) + 1);
    if (atomic_fetch_add(&tickets, 1) == 0) winner = own;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, draw, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return winner - 1;
}
