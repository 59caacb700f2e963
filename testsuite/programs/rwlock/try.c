// A thread holds the lock for writing once; another tries to write, and then to read. Each attempt comes
// before, during or after the hold, in this order: 6 pairs. Before and after it succeeds; a successful
// attempt to write is released before the attempt to read. During the hold, two failed attempts
// only read. All pairs with their orders are traces of their own: the number of ways to place two
// marks in order into three gaps is C(4,2) = 6.
//@ expect: verified
//@ executions: 6
//@ outcomes: read=0 write=0 *3 | read=0 write=16 *1 | read=16 write=0 *1 | read=16 write=16 *1
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *hold(void *unused) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, hold, NULL);
    int write = pthread_rwlock_trywrlock(&lock);
    if (write == 0) pthread_rwlock_unlock(&lock);
    int read = pthread_rwlock_tryrdlock(&lock);
    if (read == 0) pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    dpor_observe("write", write);
    dpor_observe("read", read);
    return 0;
}
