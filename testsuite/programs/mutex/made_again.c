// A mutex is destroyed, initialized again by assignment, and then used by two threads, as a
// std::condition_variable is that lies where another one was. Nothing is wrong.
// Before its first use each thread makes it anew as far as nobody did: r, lock, unlock of one thread
// and of the other, all on one object, and none but the second r leaves it as it was. With one
// thread's section first, the other's r has four places before its lock: 2 x 4.
//@ expect: verified
//@ executions: 8
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
