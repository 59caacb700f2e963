#include "account.h"

void account_deposit(struct account *account, int amount) {
    pthread_mutex_lock(&account->mutex);
    account->balance += amount;
    pthread_mutex_unlock(&account->mutex);
}

int account_balance(const struct account *account) { return account->balance; }

void account_transfer(struct account *from, struct account *to, int amount) {
    pthread_mutex_lock(&from->mutex);
    pthread_mutex_lock(&to->mutex);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->mutex);
    pthread_mutex_unlock(&from->mutex);
}
