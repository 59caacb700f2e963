// A reader that reads again if the sequence number changed: its turns in vain never find the same number twice; behind
// one its thread goes no further. The optimizer makes the loop that waits for an even number and the one around it one,
// so that a look at an odd number is a turn in vain as well. Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ revisions: written merged
//@ args: --reductions=none
//@[written] executions: 2
//@[written] blocked: 8
//@[written] opt: O0
//@[merged] executions: 2
//@[merged] blocked: 9
//@[merged] opt: O1 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
atomic_int seq, a, b;
static void *writer(void *u) {
    for (int i = 1; i <= 1; i++) {
        atomic_store(&seq, 2 * i - 1);
        atomic_store(&a, i);
        atomic_store(&b, i);
        atomic_store(&seq, 2 * i);
    }
    return u;
}
static void *reader(void *u) {
    int s, x, y;
    do {
        do {
            s = atomic_load(&seq);
        } while (s & 1);
        x = atomic_load(&a);
        y = atomic_load(&b);
    } while (atomic_load(&seq) != s);
    return x == y ? u : (void *)1;
}
int main(void) {
    pthread_t t[2];
    void *r;
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], &r);
    return r != NULL;
}
