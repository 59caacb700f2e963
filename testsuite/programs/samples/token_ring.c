// Three threads hand a number on, each from its left neighbour; a fourth expects all of them to have the same.
// That holds at the beginning, and after they ran in the order of the ring.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
//@ revisions: optimal random
//@[random] args: --search=random
#include <assert.h>
#include <pthread.h>

static int x1 = 1, x2 = 1, x3 = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *t1(void *unused) {
    pthread_mutex_lock(&lock);
    x1 = (x3 + 1) % 4;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *t2(void *unused) {
    pthread_mutex_lock(&lock);
    x2 = x1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *t3(void *unused) {
    pthread_mutex_lock(&lock);
    x3 = x2;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *check(void *unused) {
    pthread_mutex_lock(&lock);
    assert(x1 == x2 && x2 == x3);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    void *(*const all[])(void *) = {t1, t2, t3, check};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, all[i], 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
}
