// Burns and Lamport's lock with one bit for each of two threads: the first insists, the second takes back that it wants
// to get in, and waits. Nobody may go round for ever. Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ executions: 4
//@ args: --reductions=none
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int want[2];
int shared;

static void *insists(void *unused) {
    atomic_store(&want[0], 1);
    while (atomic_load(&want[1])) {
    }
    shared++;
    atomic_store(&want[0], 0);
    return unused;
}

static void *withdraws(void *unused) {
    for (;;) {
        atomic_store(&want[1], 1);
        if (!atomic_load(&want[0])) break;
        atomic_store(&want[1], 0);
        while (atomic_load(&want[0])) {
        }
    }
    shared++;
    atomic_store(&want[1], 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, insists, NULL);
    pthread_create(&b, NULL, withdraws, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shared != 2;
}
