// Priorities are accepted, and change nothing: two sections in two orders. The ceiling is kept.
//@ expect: verified
//@ executions: 2
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t inherits, protects;

static void *use(void *unused) {
    pthread_mutex_lock(&inherits);
    pthread_mutex_unlock(&inherits);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    int ceiling = 0, old = 0;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&inherits, &attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&attributes, 10);
    pthread_mutex_init(&protects, &attributes);
    pthread_create(&thread, NULL, use, NULL);
    use(NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&protects);
    pthread_mutex_unlock(&protects);
    if (pthread_mutex_getprioceiling(&protects, &ceiling) != 0 || ceiling != 10) abort();
    pthread_mutex_destroy(&inherits);
    pthread_mutex_destroy(&protects);
    return 0;
}
