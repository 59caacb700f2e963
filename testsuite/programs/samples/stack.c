// Two threads take from a stack that has one item, and one puts another there. Whether it is empty is looked
// at without the lock: two may take after one looked, and the last finds nothing.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int top = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *push(void *unused) {
    pthread_mutex_lock(&lock);
    top++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *pop(void *unused) {
    if (top > 0) {
        pthread_mutex_lock(&lock);
        assert(top > 0);
        top--;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t pusher, poppers[2];
    pthread_create(&pusher, 0, push, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&poppers[i], 0, pop, 0);
    pthread_join(pusher, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(poppers[i], 0);
}
