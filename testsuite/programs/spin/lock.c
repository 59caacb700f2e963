// Two threads, three times each, under a spin lock: C(6,3) = 20 orders.
//@ expect: verified
//@ executions: 20
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static int x;

static void *work(void *unused) {
    for (int i = 0; i < 3; i++) {
        pthread_spin_lock(&lock);
        x++;
        pthread_spin_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    pthread_spin_destroy(&lock);
    return x == 6 ? 0 : 1;
}
