// A buffer of one place, a producer and a consumer of two items each, `while` around every wait.
// Never a deadlock, and items arrive in order.
//@ expect: verified
//@ outcomes: sum=21
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
int place, full, sum;

static void *produce(void *unused) {
    for (int item = 1; item <= 2; item++) {
        pthread_mutex_lock(&mutex);
        while (full) pthread_cond_wait(&not_full, &mutex);
        place = item;
        full = 1;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *consume(void *unused) {
    for (int item = 1; item <= 2; item++) {
        pthread_mutex_lock(&mutex);
        while (!full) pthread_cond_wait(&not_empty, &mutex);
        sum += item == 1 ? place : place * 10;
        full = 0;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, produce, 0);
    pthread_create(&b, 0, consume, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_observe("sum", sum);
    return 0;
}
