// Threads that wait for each other's locks are a deadlock although main has returned and the process ends.
//
// One thread's critical sections come first, or the other's, or each has one lock: 3 executions.
//@ opt: O0 O2
//@ expect: bug
//@ args: -k
//@ kind: deadlock main-exits-early
//@ executions: 2
//@ deadlocked: 1
//@ message: wait for each other
#include <pthread.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *forwards(void *unused) {
    both(&one, &other);
    return unused;
}

static void *backwards(void *unused) {
    both(&other, &one);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, forwards, 0);
    pthread_detach(thread);
    pthread_create(&thread, 0, backwards, 0);
    pthread_detach(thread);
    return 0; //~ main-exits-early
}
