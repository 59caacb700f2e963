// Two critical sections of one mutex that share no data: what their order, or a moment in one of them, can still be told
// by (docs/decisions/0098). Whoever makes one execution of both orders, or one event of a section, must not lose these.
//@ revisions: stripe before crossed tried halfway
//@[stripe] expect: verified
//@[stripe] cflags: -DSTRIPE
//@[stripe] executions: 2
//@[before] expect: bug
//@[before] kind: data-race
//@[before] cflags: -DBEFORE
//@[crossed] expect: bug
//@[crossed] kind: deadlock
//@[crossed] cflags: -DCROSSED
//@[tried] expect: bug
//@[tried] kind: assertion
//@[tried] cflags: -DTRIED
//@[halfway] expect: bug
//@[halfway] kind: assertion
//@[halfway] cflags: -DHALFWAY
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
int ahead;
static atomic_int steps;

static void set(int *place) {
    pthread_mutex_lock(&m);
    *place = 1;
    pthread_mutex_unlock(&m);
}

#if defined(STRIPE)
// Nothing tells the order.
static void one(void) { set(&x); }
static void two(void) { set(&y); }
#elif defined(BEFORE)
// If the first section comes first, it orders the write before the read.
static void one(void) {
    ahead = 1;
    set(&x);
}
static void two(void) {
    set(&y);
    assert(ahead >= 0);
}
#elif defined(CROSSED)
// In either order of whole sections nobody is stuck.
static void one(void) {
    pthread_mutex_lock(&n);
    set(&x);
    pthread_mutex_unlock(&n);
}
static void two(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    y = 1;
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
}
#elif defined(TRIED)
// Whoever tries looks into the middle of a section.
static void one(void) { set(&x); }
static void two(void) {
    int error = pthread_mutex_trylock(&m);
    assert(!error);
    y = 1;
    pthread_mutex_unlock(&m);
}
#else
// With two other operations in a section there is a moment between them.
static void one(void) {
    pthread_mutex_lock(&m);
    steps = 1;
    steps = 2;
    pthread_mutex_unlock(&m);
}
static void two(void) { assert(steps != 1); }
#endif

static void *first(void *unused) {
    one();
    return unused;
}

static void *second(void *unused) {
    two();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    (void)x;
    (void)y;
    (void)set;
    (void)steps;
    (void)n;
    return 0;
}
