// Two threads hit a ball three times each; one that is not there is missed. Only if they take turns from the first hit to
// the last does the ball come to 6: five changes from one to the other at the right moment.
//@ expect: bug
//@ kind: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { HITS = 3 };

static atomic_int ball;

static void hit(int at) {
    if (atomic_load(&ball) == at) atomic_store(&ball, at + 1);
}

static void *ping(void *unused) {
    for (int i = 0; i < HITS; i++) hit(2 * i);
    return unused;
}

static void *pong(void *unused) {
    for (int i = 0; i < HITS; i++) hit(2 * i + 1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, ping, 0);
    pthread_create(&b, 0, pong, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(atomic_load(&ball) != 2 * HITS);
    return 0;
}
