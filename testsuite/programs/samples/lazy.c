// One thread adds one, another two, and a third expects not to come after both.
//@ expect: bug
//@ kind: assertion
//@ checkpoint: snapshot
#include <assert.h>
#include <pthread.h>

static int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *amount) {
    pthread_mutex_lock(&lock);
    data += *(int *)amount;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *check(void *unused) {
    pthread_mutex_lock(&lock);
    assert(data < 3);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    int one = 1, two = 2;
    pthread_t a, b, c;
    pthread_create(&a, 0, add, &one);
    pthread_create(&b, 0, add, &two);
    pthread_create(&c, 0, check, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
}
