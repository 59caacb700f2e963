// A ticket lock with a waiting array: threads far from their turn look at a slot of the array instead of at what all
// look at (Dice and Kogan, Euro-Par 2019). Counted by brute force: testsuite/tests/suite/waiting.rs.
//@ expect: verified
//@ revisions: two three
//@[two] cflags: -DN=2
//@[two] executions: 4
//@[three] cflags: -DN=3
//@[three] executions: 144
//@ args: --reductions=none
//@ opt: O0 O2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { NEAR = 1, SLOTS = 2 };

atomic_int ticket, grant, slots[SLOTS];
int shared;

static void lock(void) {
    int mine = atomic_fetch_add(&ticket, 1);
    int ahead = mine - atomic_load(&grant);
    if (ahead == 0) return;
    if (ahead > NEAR) {
        atomic_int *slot = &slots[mine % SLOTS];
        int seen = atomic_load(slot);
        while (mine - atomic_load(&grant) > NEAR) {
            while (atomic_load(slot) == seen) {
            }
            seen = atomic_load(slot);
        }
    }
    while (atomic_load(&grant) != mine) {
    }
}

static void unlock(void) {
    int next = atomic_load(&grant) + 1;
    atomic_store(&grant, next);
    atomic_fetch_add(&slots[(next + NEAR) % SLOTS], 1);
}

static void *run(void *unused) {
    lock();
    shared++;
    unlock();
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    return shared != N;
}
