// The usual way round an order of locks: hold a, try b; if b is taken let a go, take it again, and try again. Let L and U
// be what the other thread does with b. By hand: the try before L, or after U, 2 executions; between them it fails, the
// turn takes back what it did, and the thread goes no further, 1 blocked.
// [rotated] The optimizer takes the first try out of the loop, so that a turn ends with one: the first between L and U
// and the second, after a was let go, after U is 1 more.
// [yields] So it is where the thread yields before it takes a again.
// [third] Another thread takes a and gives it back: before the first thread does or after all of it, for each of the 2,
// or while a is let go. Then the turn is none in vain, and another follows: a try that succeeds, 1 more, or one that
// fails, 1 blocked. Blocked with the other before it, and with the other never: 2.
// [both] The other thread does the same with the locks the other way round. Both may let go and take again at the same
// pace for ever, and that is not told; each may also get through.
// [kept] Who holds b waits for another mutex, which the first thread holds: that one goes round for ever.
//@ revisions: written rotated yields third both kept
//@ args: --reductions=none
//@[written] expect: verified
//@[written] executions: 2
//@[written] blocked: 1
//@[written] opt: O0
//@[rotated] expect: verified
//@[rotated] executions: 3
//@[rotated] blocked: 1
//@[rotated] opt: O1 O2
//@[yields] expect: verified
//@[yields] executions: 2
//@[yields] blocked: 1
//@[yields] opt: O0
//@[yields] cflags: -DYIELDS
//@[third] expect: verified
//@[third] executions: 5
//@[third] blocked: 3
//@[third] opt: O0
//@[third] cflags: -DTHIRD
//@[both] expect: verified
//@[both] opt: O0 O2
//@[both] cflags: -DBOTH
//@[kept] expect: bug
//@[kept] kind: livelock
//@[kept] opt: O0 O2
//@[kept] cflags: -DKEPT
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;
static int shared;

/* Takes both, in this order. */
static void take(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    while (pthread_mutex_trylock(second)) {
        pthread_mutex_unlock(first);
#ifdef YIELDS
        sched_yield();
#endif
        pthread_mutex_lock(first);
    }
}

static void *work(void *unused) {
#ifdef BOTH
    take(&b, &a);
    shared++;
    pthread_mutex_unlock(&a);
#else
    pthread_mutex_lock(&b);
#ifdef KEPT
    pthread_mutex_lock(&c);
    pthread_mutex_unlock(&c);
#endif
    shared++;
#endif
    pthread_mutex_unlock(&b);
    return unused;
}

static void *pass(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void) {
    pthread_t thread, third;
    (void)pass;
#ifdef KEPT
    pthread_mutex_lock(&c);
#endif
    pthread_create(&thread, NULL, work, NULL);
#ifdef THIRD
    pthread_create(&third, NULL, pass, NULL);
#endif
    take(&a, &b);
    shared++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
#ifdef KEPT
    pthread_mutex_unlock(&c);
#endif
    pthread_join(thread, NULL);
#ifdef THIRD
    pthread_join(third, NULL);
#else
    (void)third;
#endif
    return shared != 2;
}
