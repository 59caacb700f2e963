// A thread's own view of its stack: pthread_getattr_np covers the address of a local, and
// pthread_self is what main was given.
//@ expect: verified
//@ executions: 1
#define _GNU_SOURCE
#include <dpor.h>
#include <pthread.h>

static void *work(void *self) {
    pthread_attr_t attributes;
    void *stack;
    size_t bytes;
    char local;
    dpor_assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    dpor_assert(pthread_attr_getstack(&attributes, &stack, &bytes) == 0);
    pthread_attr_destroy(&attributes);
    dpor_assert(&local >= (char *)stack && &local < (char *)stack + bytes);
    *(pthread_t *)self = pthread_self();
    return 0;
}

int main(void) {
    pthread_t thread, self;
    pthread_create(&thread, 0, work, &self);
    pthread_join(thread, 0);
    dpor_assert(pthread_equal(thread, self));
    return 0;
}
