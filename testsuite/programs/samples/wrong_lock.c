// Three threads add under one lock, a fourth under another: an addition may be lost.
// The number is atomic, so that no data race tells.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int number;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *lock) {
    pthread_mutex_lock(lock);
    int found = number;
    number = found + 1;
    pthread_mutex_unlock(lock);
    return 0;
}

int main(void) {
    pthread_mutex_t *locks[] = {&right, &right, &right, &wrong};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, add, locks[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    assert(number == 4);
}
