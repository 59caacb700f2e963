// How a report of this kind looks: a mutex is used after it was destroyed.
//@ expect: bug
//@ kind: uninitialized-object
//@ golden: yes

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int destroyed;

static void *first(void *unused) {
    pthread_mutex_destroy(&mutex);
    atomic_store(&destroyed, 1);
    return unused;
}

static void *second(void *unused) {
    if (atomic_load(&destroyed)) pthread_mutex_lock(&mutex); //~ uninitialized-object
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
