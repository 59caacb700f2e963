// How a report of this kind looks: a signal comes before the wait.
//@ expect: bug
//@ kind: deadlock lost-wakeup
//@ golden: yes

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static atomic_int flag;

static void *first(void *unused) {
    pthread_mutex_lock(&mutex);
    if (!atomic_load(&flag)) pthread_cond_wait(&ready, &mutex); //~ deadlock
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *second(void *unused) {
    atomic_store(&flag, 1);
    pthread_cond_signal(&ready);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
