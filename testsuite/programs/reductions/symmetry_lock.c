// Three threads, two critical sections each: 6! / 2!^3 = 90 orders. The threads are alike, and in no
// order is exchanging their names the same order: 90 / 3! = 15.
//@ expect: verified
//@ executions: 15
//@ args: --reductions=symmetry
//@ opt: O0 O2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        count++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    assert(count == 6);
    return 0;
}
