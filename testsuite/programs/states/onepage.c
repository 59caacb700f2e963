// Two threads of N statements each on variables of their own: the example of the One Page Model Checker, whose table is
// keyed on how many statements each thread has executed. So are the states here, if nothing is reduced.
// How many there are is derived in testsuite/tests/suite/states_benchmarks.rs.
//@ args: --states
//@ opt: O0 O2
//@ expect: verified
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

static atomic_long executed[2][N];

static void *statements(void *own) {
    atomic_long *executed = own;
    for (int n = 0; n < N; n++) atomic_store(&executed[n], 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, statements, executed[1]);
    statements(executed[0]);
    pthread_join(thread, 0);
    return 0;
}
