// One thread waits with one mutex; another with a second one, which is wrong unless it gives up at once.
// main tries the first mutex, and keeps it.
// failed: the second wait to begin is wrong. It is the one with the limit, and main tried before the other
//   wait, after it, or not at all; or it is the one without, and main tried before (while its mutex was
//   held), or not at all: 5.
// deadlocked: main had the first mutex before the other thread, and the wait with the limit began or gave
//   up: 2. It gave up, and main tried before the other wait or after it: 2.
// A search that plans the wait with the limit, where it does not give up, after the other wait as if it were
// right there, ends early.
//@ expect: bug
//@ args: -k --timeouts
//@ kind: condvar-mutex-mismatch deadlock
//@ executions: 0
//@ failed: 5
//@ deadlocked: 4
#include <pthread.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *waits(void *unused) {
    pthread_mutex_lock(&a);
    pthread_cond_wait(&changed, &a); //~ condvar-mutex-mismatch
    pthread_mutex_unlock(&a);
    return unused;
}

static void *waits_with_limit(void *unused) {
    struct timespec limit = {9999999999, 0};
    pthread_mutex_lock(&b);
    pthread_cond_timedwait(&changed, &b, &limit); //~ condvar-mutex-mismatch
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, waits, 0);
    pthread_create(&threads[1], 0, waits_with_limit, 0);
    pthread_mutex_trylock(&a);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
