// A thread joins another one; main cancels the joiner. It leaves before the other has ended, whom main
// then joins itself, or the join ends as usual, and the request is passed at no cancellation point.
//@ expect: verified
//@ outcomes: joined=0 cancelled=1 | joined=1 cancelled=0
//@ dfs: same-outcomes
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t other;
int joined;

static void *short_work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *work(void *unused) {
    pthread_join(other, 0);
    joined = 1;
    return unused;
}

int main(void) {
    pthread_t joiner;
    void *result;
    pthread_mutex_lock(&mutex);
    pthread_create(&other, 0, short_work, 0);
    pthread_create(&joiner, 0, work, 0);
    pthread_mutex_unlock(&mutex);
    pthread_cancel(joiner);
    pthread_join(joiner, &result);
    if (!joined) pthread_join(other, 0);
    dpor_observe("joined", joined);
    dpor_observe("cancelled", result == PTHREAD_CANCELED);
    return 0;
}
