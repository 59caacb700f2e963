// Memory with a locked mutex is freed: its owner's unlock will be one of freed memory. A warning where
// that never comes. What is at the address then is another mutex: initialized and locked, that is right.
// (The block is larger than what the heap keeps back when it is freed, so that its address comes again.)
// revision alone: without a second thread. revision right: unlocked first.
// Nothing to order: 1 execution.
//@ revisions: thread alone right
//@ expect: verified
//@ executions: 1
//@[thread] cflags: -DTHREAD
//@[thread] kind: destroyed-in-use
//@[thread] message: the memory of a mutex that is locked is freed
//@[alone] kind: destroyed-in-use
//@[right] cflags: -DTHREAD -DRIGHT
#include <pthread.h>
#include <stdlib.h>

#define BLOCK_BYTES (1 << 20)

static void *work(void *unused) {
    pthread_mutex_t *mutex = malloc(BLOCK_BYTES);
    *mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(mutex);
#ifdef RIGHT
    pthread_mutex_unlock(mutex);
#endif
    free(mutex); //~[alone] destroyed-in-use
    pthread_mutex_t *other = malloc(BLOCK_BYTES);
    if (other != mutex) abort();
    pthread_mutex_init(other, 0);
    pthread_mutex_lock(other);
    pthread_mutex_unlock(other);
    pthread_mutex_destroy(other);
    free(other);
    return unused;
}

int main(void) {
#ifdef THREAD
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
#else
    work(0);
#endif
    return 0;
}
