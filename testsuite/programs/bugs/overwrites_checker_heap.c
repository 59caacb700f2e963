// Two bugs: a thread that sees the first store writes one word into the checker's heap, where the search
// keeps what it knows; one that sees the second store fails an assertion. The checker goes on behind
// the first one.
//
// The reader loads x, then y; each is stored once by another thread. The end of the process is an event
// that conflicts with everything. Traces: x = 0 and y = 0, complete; x = 0 and y = 1, which fails the
// assertion, with x stored before the end or not at all; x = 1, which kills the process, with y stored
// before the end or not at all.
//@ expect: bug
//@ kind: process-death assertion
//@ message: the program overwrites memory of the checker
//@ note: the process died 2 times
//@ args: -k
//@ executions: 1
//@ failed: 4
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int x, y;
static unsigned long *heap;

// The shared mapping of the largest size is the checker's heap.
static void find(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned long most = 0;
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char access[5];
        int fields = sscanf(line, "%lx-%lx %4s", &start, &end, access);
        if (fields == 3 && strcmp(access, "rw-s") == 0 && end - start > most) {
            most = end - start;
            heap = (unsigned long *)start;
        }
    }
    fclose(maps);
}

static void *store(void *cell) {
    atomic_store((atomic_int *)cell, 1);
    return 0;
}

static void *read_both(void *unused) {
    if (atomic_load(&x)) {
        // Where the next block comes from, and the lists of free ones.
        for (int k = 0; k < 40; k++) {
            heap[k] = 0x4141414141414141; //~ process-death
        }
    }
    dpor_assert(!atomic_load(&y)); //~ assertion
    return unused;
}

int main(void) {
    pthread_t threads[3];
    find();
    pthread_create(&threads[0], 0, store, &x);
    pthread_create(&threads[1], 0, store, &y);
    pthread_create(&threads[2], 0, read_both, 0);
    for (int k = 0; k < 3; k++) {
        pthread_join(threads[k], 0);
    }
    return 0;
}
