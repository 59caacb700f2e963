// Misuses of read-write locks, each in a thread of its own program.
//@ revisions: unlock destroyed held
//@ expect: bug
//@ executions: 0
//@ failed: 1
//@[unlock] cflags: -DUNLOCK
//@[unlock] kind: unlock-not-owner
//@[destroyed] cflags: -DDESTROYED
//@[destroyed] kind: uninitialized-object
//@[held] cflags: -DHELD
//@[held] kind: destroyed-in-use
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *misuse(void *unused) {
#ifdef UNLOCK
    pthread_rwlock_unlock(&lock); //~[unlock] unlock-not-owner
#elif defined DESTROYED
    pthread_rwlock_destroy(&lock);
    pthread_rwlock_rdlock(&lock); //~[destroyed] uninitialized-object
#else
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_destroy(&lock); //~[held] destroyed-in-use
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, misuse, NULL);
    pthread_join(thread, NULL);
    return 0;
}
