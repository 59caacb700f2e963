// 66 threads that do nothing, and three with higher numbers that are alike: the 3! orders of their lock are one.
//@ expect: verified
//@ executions: 1
//@ args: --reductions=symmetry
#include <pthread.h>

enum { IDLE = 66, LAST = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *idle(void *unused) {
    return unused;
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    sum++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[IDLE + LAST];
    for (int i = 0; i < IDLE; i++) pthread_create(&threads[i], 0, idle, 0);
    for (int i = IDLE; i < IDLE + LAST; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < IDLE + LAST; i++) pthread_join(threads[i], 0);
    return sum != LAST;
}
