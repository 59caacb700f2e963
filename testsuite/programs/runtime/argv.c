// Arguments are memory like any other: a change is taken back for the next execution. The two
// orders of a store give two executions; each must find the argument unchanged.
//@ expect: verified
//@ executions: 2
//@ program-args: word
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

atomic_int cell; // Not static: the optimizer would delete a variable that is never read.

static void *work(void *unused) {
    atomic_store(&cell, 1);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    atomic_store(&cell, 2);
    dpor_assert(argc == 2 && strcmp(argv[1], "word") == 0);
    argv[1][0] = 'X';
    pthread_join(thread, 0);
    return 0;
}
