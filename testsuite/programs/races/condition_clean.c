// Data under a condition variable's mutex, read after the wait: clean.
// The waiter's section first: it waits, is woken, goes on; or the setter's first: 2 traces.
//@ expect: verified
//@ executions: 2
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int data, flag, seen;

static void *setter(void *unused) {
    pthread_mutex_lock(&mutex);
    data = 1;
    flag = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *waiter(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!flag) pthread_cond_wait(&ready, &mutex);
    pthread_mutex_unlock(&mutex);
    seen = data;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, setter, 0);
    pthread_create(&b, 0, waiter, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
