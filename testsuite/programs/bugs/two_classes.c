// Operations of class A run together, of class B run together, but not A with B: the first of a
// class takes `lock`, the last gives it back; `mutex` guards the counters.
// With one of each: whoever is first has lock and gives mutex back. If it also finishes first, all
// ends well; if the other takes mutex in between, it waits for lock with mutex in its hands, and
// the first cannot get mutex to give lock back. 2 who is first: 2 complete, 2 deadlocked.
// With two of class A, lock may also be given back by the one that did not take it.
// The one that took it then ends while it holds it.
// Source: the example of section 3 of the Inspect paper.
//@ revisions: one two
//@ expect: bug
//@ args: -k
//@[one] kind: deadlock
//@[one] executions: 2
//@[one] deadlocked: 2
//@[two] kind: deadlock unlock-not-owner thread-misuse
//@[one] cflags: -DA=1
//@[two] cflags: -DA=2
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static int count[2];

static void *operation(void *class_count) {
    int *n = class_count;
    pthread_mutex_lock(&mutex);
    if (++*n == 1) pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&mutex);

    pthread_mutex_lock(&mutex);
    if (--*n == 0) pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t threads[A + 1];
    for (int i = 0; i < A; i++) pthread_create(&threads[i], 0, operation, &count[0]);
    pthread_create(&threads[A], 0, operation, &count[1]);
    for (int i = 0; i <= A; i++) pthread_join(threads[i], 0);
    return 0;
}
