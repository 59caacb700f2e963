// A mutex is destroyed, initialized again by assignment, and then used by two threads, as a
// std::condition_variable is that lies where another one was. Nothing is wrong: 2 orders.
// The init event that stands for the assignment is made by whoever calls first, and removes the note of
// the destruction when he calls: the other may then come before it, to an object that is destroyed.
//@ expect: bug
//@ kind: uninitialized-object
//@ known-gap: should be verified, in 2 executions
#include <pthread.h>

static pthread_mutex_t mutex;
static int shared;

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_init(&mutex, 0);
    pthread_mutex_destroy(&mutex);
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
