//! Once a routine is in a thread's past, further calls of pthread_once are no events.
//!
//! Two threads call it three times each. The first calls are ordered one way or the other: 2. What
//! comes later finds it done whatever the order, and so does a thread that one of them creates.
//@ expect: verified
//@ executions: 2
//@ outcomes: first=1 *1 | first=2 *1
//@ opt: O0 O2
#include <dpor.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t self;
static long first;

static void routine(void) {
    first = (long)pthread_getspecific(self);
}

static void *child(void *unused) {
    pthread_once(&once, routine);
    return (void *)first;
}

static void *caller(void *number) {
    pthread_setspecific(self, number);
    for (int i = 0; i < 3; i++)
        pthread_once(&once, routine);
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    void *seen;
    pthread_join(thread, &seen);
    dpor_assert(seen == (void *)first);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_key_create(&self, 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, caller, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    dpor_observe("first", first);
    return 0;
}
