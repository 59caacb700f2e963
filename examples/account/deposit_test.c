/* Each of two threads takes the mutex once: 2 executions. */
#include "account.h"
#undef NDEBUG
#include <assert.h>

static struct account account = ACCOUNT_INITIALIZER;

static void *deposit(void *unused) {
    account_deposit(&account, 1);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, deposit, NULL);
    pthread_create(&second, NULL, deposit, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(account_balance(&account) == 2);
    return 0;
}
