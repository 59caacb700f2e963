// Two threads count, each under a lock. A common lock orders the sections (2 traces, clean);
// a lock of its own for each does nothing.
//@ revisions: common own
//@[common] cflags: -DSECOND=first
//@[common] expect: verified
//@[common] executions: 2
//@[own] cflags: -DSECOND=second
//@[own] golden: yes
//@[own] expect: bug
//@[own] kind: data-race
#include <pthread.h>

pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
int count;

static void *one(void *unused) {
    pthread_mutex_lock(&first);
    count++;
    pthread_mutex_unlock(&first);
    return unused;
}

static void *other(void *unused) {
    pthread_mutex_lock(&SECOND);
    count++;
    pthread_mutex_unlock(&SECOND);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
