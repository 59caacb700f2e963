// A thread creates a thread and joins it; main does the same at the same time. Three writers of one
// atomic cell: main's child P, P's child C (after P's store), and main's other child Q.
// P before C in every execution; Q's place among the two: 3.
//@ expect: verified
//@ executions: 3
#include <pthread.h>
#include <stdatomic.h>

atomic_int cell;

static void *write_cell(void *unused) {
    atomic_store(&cell, 1);
    return unused;
}

static void *write_and_create(void *unused) {
    pthread_t child;
    atomic_store(&cell, 2);
    pthread_create(&child, 0, write_cell, 0);
    pthread_join(child, 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, write_and_create, 0);
    pthread_create(&b, 0, write_cell, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
