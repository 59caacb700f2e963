// Two threads read from standard input: which of them gets the first byte is their order, 2.
//@ expect: verified
//@ stdin: xy
//@ executions: 2
//@ outcomes: a=120 b=121 *1 | a=121 b=120 *1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>
#include <unistd.h>

static char got[2];

static void *work(void *at) {
    dpor_assert(read(0, at, 1) == 1);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, &got[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    dpor_observe("a", got[0]);
    dpor_observe("b", got[1]);
    return 0;
}
