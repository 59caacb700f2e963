// A thread drops two counts in a loop, and reads what another one wrote before its drop. Its second drop begins a turn of
// the loop, and is a member of the run like any other: it learns nothing from the writer's. So the read is not ordered,
// as in the order in which the writer comes last, which is not explored.
//@ expect: bug
//@ kind: data-race
//@ args: --reductions=counters
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 10, first = 1;
static int written;

static void *writer(void *unused) {
    (void)unused;
    written = 1;
    if (atomic_fetch_sub(&references, 1) == 1) return (void *)1;
    return 0;
}

static void *reader(void *unused) {
    (void)unused;
    do {
        if (atomic_fetch_sub(&references, 1) == 1) return (void *)1;
    } while (atomic_exchange(&first, 0));
    return (void *)(long)written;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
