// How a report of this kind looks: a thread unlocks the mutex of another.
//@ expect: bug
//@ kind: unlock-not-owner
//@ golden: yes

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int locked;

static void *first(void *unused) {
    pthread_mutex_lock(&mutex);
    atomic_store(&locked, 1);
    atomic_store(&locked, 0);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *second(void *unused) {
    if (atomic_load(&locked)) pthread_mutex_unlock(&mutex); //~ unlock-not-owner
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
