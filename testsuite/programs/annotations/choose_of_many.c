// A choice of 500, then two stores to one place, each by a thread of its own, and a load of it. The three accesses come in 6
// orders. Where nobody reads behind the load, the order of the two stores behind it is none: load first 1, between the stores 2,
// last 2, so 5.
//@ revisions: observers none
//@ expect: verified
//@[observers] args: --reductions=observers
//@[observers] executions: 2500
//@[none] executions: 3000
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *store(void *value)
{
    atomic_store(&x, (int)(long)value);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    dpor_choose(500);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, store, (void *)(i + 1));
    dpor_observe("x", atomic_load(&x));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
