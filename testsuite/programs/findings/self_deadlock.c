// How a report of this kind looks: a mutex is locked again by who holds it.
//@ expect: bug
//@ kind: self-deadlock
//@ golden: yes

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int again;

static void *first(void *unused) {
    atomic_store(&again, 1);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&mutex);
    if (atomic_load(&again)) pthread_mutex_lock(&mutex); //~ self-deadlock
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
