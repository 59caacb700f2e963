// A withdrawal looks at the balance under the lock and takes the money under the lock, and lets it go between.
// Three of 40 from 100: the balance falls below zero if all have looked before the second one took.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
//@ revisions: optimal pos
//@[pos] args: --search=pos
#include <assert.h>
#include <pthread.h>

static int balance = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *withdraw(void *unused) {
    pthread_mutex_lock(&lock);
    int enough = balance >= 40;
    pthread_mutex_unlock(&lock);
    if (!enough)
        return unused;
    pthread_mutex_lock(&lock);
    balance -= 40;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, withdraw, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(balance >= 0);
}
