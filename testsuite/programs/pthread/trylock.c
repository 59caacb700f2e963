// One thread locks and unlocks, the other tries once.
// The try comes before the section (succeeds), inside it (fails), or after it (succeeds): 3.
//@ expect: verified
//@ executions: 3
//@ outcomes: got=0 *1 | got=1 *2
//@ dfs: same-outcomes
#include <dpor.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *locker(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *trier(void *unused) {
    result = pthread_mutex_trylock(&mutex);
    if (result == 0) pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, locker, 0);
    pthread_create(&b, 0, trier, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_assert(result == 0 || result == EBUSY);
    dpor_observe("got", result == 0);
    return 0;
}
