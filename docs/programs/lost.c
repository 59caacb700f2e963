#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int balance = 100;
static void *withdraw(void *amount) {
    int money = *(int *)amount;
    if (atomic_load(&balance) >= money)
        atomic_fetch_sub(&balance, money);
    return 0;
}
int main(void) {
    pthread_t one, other;
    int little = 50, much = 60;
    pthread_create(&one, 0, withdraw, &little);
    pthread_create(&other, 0, withdraw, &much);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(atomic_load(&balance) >= 0);
}
