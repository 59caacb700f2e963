#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int balance;

static void *deposit(void *amount) {
    int before = atomic_load(&balance);
    atomic_store(&balance, before + (int)(long)amount);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, deposit, (void *)10);
    pthread_create(&b, 0, deposit, (void *)20);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int sum = atomic_load(&balance);
    assert(sum == 30);
    return 0;
}
