// Two groups share a resource: the first of a group takes it, the last gives it back. One group asks for it while it
// holds the lock of the counters, the other keeps the resource while it asks for that lock: deadlock.
//@ expect: bug
//@ kind: deadlock
//@ checkpoint: snapshot
#include <pthread.h>

static int of_a, of_b;
static pthread_mutex_t counters = PTHREAD_MUTEX_INITIALIZER, resource = PTHREAD_MUTEX_INITIALIZER;

static void *a(void *unused) {
    pthread_mutex_lock(&counters);
    if (++of_a == 1)
        pthread_mutex_lock(&resource);
    pthread_mutex_unlock(&counters);
    pthread_mutex_lock(&counters);
    if (--of_a == 0)
        pthread_mutex_unlock(&resource);
    pthread_mutex_unlock(&counters);
    return unused;
}

static void *b(void *unused) {
    pthread_mutex_lock(&counters);
    if (++of_b == 1) {
        pthread_mutex_unlock(&counters);
        pthread_mutex_lock(&resource);
        pthread_mutex_lock(&counters);
    }
    pthread_mutex_unlock(&counters);
    pthread_mutex_lock(&counters);
    if (--of_b == 0)
        pthread_mutex_unlock(&resource);
    pthread_mutex_unlock(&counters);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, a, 0);
    pthread_create(&second, 0, b, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
}
