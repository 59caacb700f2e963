// Two threads wait for a flag, and one of them is cancelled. There is one signal, which whoever comes back
// passes on. A thread that leaves does not take it along: no execution is a deadlock.
//@ expect: verified
//@ outcomes: left=0 | left=1
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int flag;

static void unlock(void *held) {
    pthread_mutex_unlock(held);
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    while (!flag) pthread_cond_wait(&changed, &mutex);
    pthread_cond_signal(&changed);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    void *result;
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
    pthread_cancel(threads[0]);
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(threads[0], &result);
    pthread_join(threads[1], 0);
    dpor_observe("left", result == PTHREAD_CANCELED);
    return 0;
}
