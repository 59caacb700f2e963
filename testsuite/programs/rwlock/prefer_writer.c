// A reader reads twice at once; a writer comes. With a lock that prefers readers the second read lock
// never waits: the writer is before both or after both, 2 executions. With one that prefers
// writers the writer's waiting is an event: before the first read lock (then the writer goes first: 1),
// between the two (the second read lock waits for the writer, who waits for the first: a deadlock), or
// after both: while the reader holds two or one, or none; waiting conflicts with every lock and
// unlock, so that these are 3. Together 4 complete and 1 deadlocked.
//@ revisions: reader writer
//@[reader] expect: verified
//@[reader] executions: 2
//@[writer] cflags: -DWRITER
//@[writer] expect: bug
//@[writer] kind: deadlock
//@[writer] args: -k
//@[writer] executions: 4
//@[writer] deadlocked: 1
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock;

static void *read_twice(void *unused) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
#ifdef WRITER
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(&lock, &attributes);
    pthread_create(&thread, NULL, read_twice, NULL);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_rwlock_destroy(&lock);
    return 0;
}
