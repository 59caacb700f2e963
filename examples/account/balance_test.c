/* A data race: the balance is read while it changes. */
#include "account.h"

static struct account account = ACCOUNT_INITIALIZER;

static void *deposit(void *unused) {
    account_deposit(&account, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, deposit, NULL);
    int balance = account_balance(&account);
    pthread_join(thread, NULL);
    return balance > 1;
}
