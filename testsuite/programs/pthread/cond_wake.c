// Two waiters (`if`, not `while`, so each waits at most once) and one that sets the flag.
// Where the setter's section stands: first: the waiters' sections have 2 orders, no one waits.
// Between: 2 who waits, then 2 orders of its reacquire and the other's section: 4.
// Last: 2 orders of the waits; broadcast: 2 orders of the reacquires: 4; signal: 2 who is woken,
// the other sleeps for ever: 4 deadlocks.
// Broadcast: 10 complete. Signal: 6 complete, 4 deadlocked.
//@ revisions: signal broadcast
//@[broadcast] expect: verified
//@[broadcast] executions: 10
//@[broadcast] cflags: -DWAKE=pthread_cond_broadcast
//@[signal] expect: bug
//@[signal] kind: deadlock
//@[signal] args: -k
//@[signal] executions: 6
//@[signal] deadlocked: 4
//@[signal] cflags: -DWAKE=pthread_cond_signal
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int flag;

static void *waiter(void *unused) {
    pthread_mutex_lock(&mutex);
    if (!flag) pthread_cond_wait(&ready, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *setter(void *unused) {
    pthread_mutex_lock(&mutex);
    flag = 1;
    WAKE(&ready);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    void *(*const body[])(void *) = {waiter, waiter, setter};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, body[i], 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
