// A failed trylock synchronizes with nothing: the value of `done` may be anything.
//@ revisions: failed got
//@[failed] cflags: -DWHEN=!=
//@[failed] expect: bug
//@[failed] kind: data-race
//@[got] cflags: -DWHEN=== // inside the lock: clean; the three traces of a lock and a try
//@[got] expect: verified
//@[got] executions: 3
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int done, seen;

static void *locker(void *unused) {
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *trier(void *unused) {
    int result = pthread_mutex_trylock(&mutex);
    if (result WHEN 0) seen = done;
    if (result == 0) pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, locker, 0);
    pthread_create(&b, 0, trier, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
