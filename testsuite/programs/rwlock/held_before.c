// Locks that main took before the second thread: one for reading, one for writing. The other thread
// reads the first at any time, the second only after main gave it back: it sees the value.
// Reading commutes with reading: 1 execution.
//@ expect: verified
//@ executions: 1
//@ args: --reductions=commute,observers
//@ outcomes: seen=1 *1
#include <dpor.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t reading = PTHREAD_RWLOCK_INITIALIZER, writing = PTHREAD_RWLOCK_INITIALIZER;
static int value, seen;

static void *read_both(void *unused) {
    pthread_rwlock_rdlock(&reading);
    pthread_rwlock_rdlock(&writing);
    seen = value;
    pthread_rwlock_unlock(&writing);
    pthread_rwlock_unlock(&reading);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_rdlock(&reading);
    pthread_rwlock_wrlock(&writing);
    pthread_create(&thread, NULL, read_both, NULL);
    value = 1;
    pthread_rwlock_unlock(&writing);
    pthread_rwlock_unlock(&reading);
    pthread_join(thread, NULL);
    dpor_observe("seen", seen);
    return 0;
}
