// Two threads through a ticket lock: who draws first is the only choice, and the threads are alike.
// 1 execution of the 2, and 1 in which the second looks too early, for whom the assumption fails.
//@ expect: verified
//@ executions: 1
//@ blocked: 1
//@ args: --reductions=symmetry
//@ opt: O0 O2
#include <assert.h>
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int tickets, serving;
static int inside;

static void *enter(void *unused) {
    int mine = atomic_fetch_add(&tickets, 1);
    dpor_assume(atomic_load(&serving) == mine);
    inside++;
    atomic_store(&serving, mine + 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, enter, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(inside == 2);
    return 0;
}
