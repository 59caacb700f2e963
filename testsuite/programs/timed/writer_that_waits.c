// A lock that prefers writers, held for reading by main while a writer with a time limit waits for it: other readers
// that try are turned away by the writer, also by one that then gives up although main would come to unlock.
// tried: 0 the third thread got the lock, 16 (EBUSY) it did not. late: whether the writer gave up.
// Turned away by a writer that is late: only if it gives up while it is known to wait.
//@ revisions: one none
//@ expect: verified
//@ dfs: same-outcomes
//@[one] outcomes: late=0 tried=0 | late=0 tried=16 | late=110 tried=0 | late=110 tried=16
//@[none] args: --timeouts=none
//@[none] outcomes: late=0 tried=0 | late=0 tried=16
#define _GNU_SOURCE
#include <dpor.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int late, tried;

static void *write_within_a_second(void *unused) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    late = pthread_rwlock_timedwrlock(&lock, &until);
    if (late == 0) pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t writer;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&writer, NULL, write_within_a_second, NULL);
    tried = pthread_rwlock_tryrdlock(&lock);
    if (tried == 0) pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(writer, NULL);
    dpor_observe("late", late);
    dpor_observe("tried", tried);
    return 0;
}
