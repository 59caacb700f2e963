// A thread that reads wants to write: it waits for itself.
//@ expect: bug
//@ kind: self-deadlock
//@ executions: 0
//@ deadlocked: 1
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *upgrade(void *unused) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock); //~ self-deadlock
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, upgrade, NULL);
    pthread_join(thread, NULL);
    return 0;
}
