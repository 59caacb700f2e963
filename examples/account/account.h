#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <pthread.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

#define ACCOUNT_INITIALIZER { PTHREAD_MUTEX_INITIALIZER, 0 }

void account_deposit(struct account *account, int amount);
/* Wrong: reads without the mutex. */
int account_balance(const struct account *account);
/* Wrong: two that go in opposite directions may wait for each other. */
void account_transfer(struct account *from, struct account *to, int amount);

#endif
