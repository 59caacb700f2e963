// Two threads draw a number each: the generator is shared. 2 executions; the two numbers are the
// generator's first two, in either order.
//@ expect: verified
//@ executions: 2
//@ outcomes: in_order=0 *1 | in_order=1 *1
#include <dpor.h>
#include <pthread.h>
#include <stdlib.h>

int got[2];

static void *draw(void *slot) {
    *(int *)slot = rand();
    return 0;
}

int main(void) {
    pthread_t a, b;
    srand(1);
    int first = rand(), second = rand();
    srand(1);
    pthread_create(&a, 0, draw, &got[0]);
    pthread_create(&b, 0, draw, &got[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int in_order = got[0] == first && got[1] == second;
    dpor_assert(in_order || (got[0] == second && got[1] == first));
    dpor_observe("in_order", in_order);
    return 0;
}
