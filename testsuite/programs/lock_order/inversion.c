// Two threads take two mutexes in different orders, but one after the other: the second begins when the
// first has ended. Nothing deadlocks; the order is reported. With a third mutex around both
// (GATE) they could not meet, and nothing is.
//@ revisions: plain gate
//@ expect: verified
//@ executions: 1
//@[plain] kind: lock-order-inversion
//@[gate] cflags: -DGATE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
                       gate = PTHREAD_MUTEX_INITIALIZER;

static void *use(pthread_mutex_t *first, pthread_mutex_t *second) {
#ifdef GATE
    pthread_mutex_lock(&gate);
#endif
    pthread_mutex_lock(first);
    pthread_mutex_lock(second); //~[plain] lock-order-inversion
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
#ifdef GATE
    pthread_mutex_unlock(&gate);
#endif
    return NULL;
}

static void *forth(void *unused) {
    (void)unused;
    return use(&a, &b);
}

static void *back(void *unused) {
    (void)unused;
    return use(&b, &a);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, forth, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, back, NULL);
    pthread_join(thread, NULL);
    return 0;
}
