// Two mutexes locked in opposite orders.
// Either thread goes first with both (2 traces), or each gets its first: a deadlock (1 trace).
//@ revisions: first all
//@ expect: bug
//@ kind: deadlock
//@[all] args: -k
//@[all] executions: 2
//@[all] deadlocked: 1
//@ opt: O0 O2
//@ smoke: yes
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *forth(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ deadlock
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *back(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); //~ deadlock
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void) {
    pthread_t x, y;
    pthread_create(&x, 0, forth, 0);
    pthread_create(&y, 0, back, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
    return 0;
}
