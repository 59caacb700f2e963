// A lock for readers and writers: who reads says so, and takes it back if a writer is there. The loop that waits does so by
// itself, also where the optimizer lets it share blocks with the one around it, which changes something in each turn.
// Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ revisions: left every_turn
//@ opt: O0 O1 O2
//@ executions: 5
//@[left] args: --reductions=none
//@[every_turn] args: --reductions=none,every-turn
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N = 2 };

atomic_int readers, writer;
int shared;

static void lock(int me) {
    if (me == 0) {
        for (;;) {
            int none = 0;
            if (atomic_compare_exchange_strong(&writer, &none, 1)) break;
        }
        while (atomic_load(&readers)) {
        }
        shared++;
        atomic_store(&writer, 0);
    } else {
        for (;;) {
            while (atomic_load(&writer)) {
            }
            atomic_fetch_add(&readers, 1);
            if (!atomic_load(&writer)) break;
            atomic_fetch_sub(&readers, 1);
        }
        int seen = shared;
        (void)seen;
        atomic_fetch_sub(&readers, 1);
    }
}

static void unlock(int me) {
    (void)me;
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    lock(me);
    unlock(me);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
    }
    return shared == 1 ? 0 : 1;
}
