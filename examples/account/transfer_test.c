/* A deadlock, where one transfer is interrupted between its two locks. */
#include "account.h"

static struct account a = ACCOUNT_INITIALIZER, b = ACCOUNT_INITIALIZER;

static void *there(void *unused) {
    account_transfer(&a, &b, 1);
    return unused;
}

static void *back(void *unused) {
    account_transfer(&b, &a, 1);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, there, NULL);
    pthread_create(&second, NULL, back, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
