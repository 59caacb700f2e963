// Keys: each thread has its own value; a destructor runs at the end of each thread that set one,
// and again if it sets the value again. Two threads, destructor twice each: 4 in every execution.
// The atomic count: each thread's two additions interleave with the other's two: C(4,2) = 6.
//@ expect: verified
//@ executions: 6
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_key_t key;
static atomic_int destroyed;
static int values[2];

static void destroy(void *value) {
    int *left = value;
    atomic_fetch_add(&destroyed, 1);
    if (--*left > 0) pthread_setspecific(key, value);
}

static void *work(void *value) {
    dpor_assert(pthread_getspecific(key) == 0);
    *(int *)value = 2;
    pthread_setspecific(key, value);
    dpor_assert(pthread_getspecific(key) == value);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, destroy);
    pthread_create(&a, 0, work, &values[0]);
    pthread_create(&b, 0, work, &values[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_assert(atomic_load(&destroyed) == 4);
    pthread_key_delete(key);
    return 0;
}
