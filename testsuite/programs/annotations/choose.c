// Two threads choose, one of 2 and one of 3: independent, 6 executions.
//@ expect: verified
//@ executions: 6
//@ outcomes: a=0 b=0 | a=0 b=1 | a=0 b=2 | a=1 b=0 | a=1 b=1 | a=1 b=2
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>

int picked[2];

static void *of_two(void *unused) {
    picked[0] = dpor_choose(2);
    return unused;
}

static void *of_three(void *unused) {
    picked[1] = dpor_choose(3);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, of_two, 0);
    pthread_create(&b, 0, of_three, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("a", picked[0]);
    dpor_observe("b", picked[1]);
    return 0;
}
