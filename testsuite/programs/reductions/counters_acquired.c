// A thread that is not told to be the last reads what another one wrote before its drop. It is ordered only where it
// comes second, which is no longer explored: the doubt lets the search begin again without the reduction, which finds
// the race.
//@ expect: bug
//@ kind: data-race
//@ args: --reductions=counters
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 3;
static int written;

static void *writer(void *unused) {
    (void)unused;
    written = 1;
    if (atomic_fetch_sub(&references, 1) == 1) return (void *)1;
    return 0;
}

static void *reader(void *unused) {
    (void)unused;
    if (atomic_fetch_sub(&references, 1) == 1) return (void *)1;
    return (void *)(long)written;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
