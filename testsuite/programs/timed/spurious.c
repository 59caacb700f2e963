// A wait without a loop: right only if no wake-up is spurious. The other thread sets the flag and
// signals under the mutex. Without spurious wake-ups: the other first, then main does not wait; or main
// waits and is woken: 2. With one, main's wait may end by itself, before the other's section (the flag
// is not set: the assertion fails) or after it.
//@ revisions: none one
//@[none] expect: verified
//@[none] executions: 2
//@[one] args: --spurious 1 -k
//@[one] expect: bug
//@[one] kind: assertion
//@[one] executions: 3
//@[one] failed: 1
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int flag;

static void *set(void *unused) {
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    pthread_mutex_lock(&mutex);
    if (!flag) pthread_cond_wait(&condition, &mutex);
    assert(flag); //~[one] assertion
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
