// Two threads move money between two accounts, each account with its own lock. Each transfer holds
// only the lock of the account it takes from, so that both write both balances: a race.
//@ golden: yes
//@ expect: bug
//@ kind: data-race
//@ smoke: yes
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account alice = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, long amount) {
    pthread_mutex_lock(&from->lock);
    if (from->balance >= amount) {
        from->balance -= amount;
        to->balance += amount;
    }
    pthread_mutex_unlock(&from->lock);
}

static void *there(void *unused) {
    transfer(&alice, &bob, 30);
    return unused;
}

static void *back(void *unused) {
    transfer(&bob, &alice, 50);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, there, 0);
    pthread_create(&b, 0, back, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("alice %ld, bob %ld\n", alice.balance, bob.balance);
    assert(alice.balance + bob.balance == 200);
    return 0;
}
