// A thread looks at a flag under a mutex until another has set it. A turn that finds it not set takes back what it did
// and changes nothing: it is explored as the last thing of its thread, and the thread goes on where it did not happen.
// By hand, of the order in which the mutex is locked: the setter first, 1 execution; the poller first, and it goes no
// further, 1 blocked.
// [two] Two threads poll, one after the other, as another mutex has it. The first after the setter, in both orders of the
// two: 2; before it, 2 blocked, in which the other waits for what the first holds.
// [counts] It waits for the second of two additions: a look after both ends, one before both or between them is blocked.
// [never] Nobody sets it: it polls for ever.
// [left] Nobody sets it, and main returns: the process ends while the thread goes round, as one that waits would.
// [held] Whoever would set it waits for a lock that the poller holds: as in never.
// [tried] Another thread tries the mutex, and may find it locked; that is told without an order, so turns in vain come
// twice in a row before the poller goes no further. The turn during which the other tries is none in vain. Let S be the
// setter's section, T the try, P a turn, P* one during which T fails.
// S P: T before S, in it, in between, in P, after: 5. P S P: T before, in one of the three, in one of the two places
// between, after: 7. P* P S P; P P* S P; P P* P S P: 3. So 15 that end.
// Blocked, P P with S behind it: T before, between the turns, between them and S, in S, after: 5. P* P P; P P* P P: 2.
//@ revisions: one two counts never left held tried
//@ args: --reductions=none
//@[one] expect: verified
//@[one] executions: 1
//@[one] blocked: 1
//@[one] opt: O0 O1 O2
//@[one] cflags: -DPOLLERS=1
//@[two] expect: verified
//@[two] executions: 2
//@[two] blocked: 2
//@[two] opt: O0 O2
//@[two] cflags: -DPOLLERS=2
//@[counts] expect: verified
//@[counts] executions: 1
//@[counts] blocked: 2
//@[counts] cflags: -DPOLLERS=1 -DSETS=2
//@[counts] opt: O0
//@[never] expect: bug
//@[never] kind: livelock
//@[never] opt: O0 O2
//@[never] cflags: -DPOLLERS=1 -DSETS=0
//@[left] expect: verified
//@[left] kind: main-exits-early
//@[left] cflags: -DPOLLERS=1 -DSETS=0 -DLEFT
//@[left] opt: O0
//@[held] expect: bug
//@[held] kind: livelock
//@[held] cflags: -DPOLLERS=1 -DHELD
//@[held] opt: O0
//@[tried] expect: verified
//@[tried] executions: 15
//@[tried] blocked: 7
//@[tried] cflags: -DPOLLERS=1 -DTRIED
//@[tried] opt: O0
#include <pthread.h>
#include <stddef.h>

#ifndef SETS
#define SETS 1
#endif
/* What is waited for. */
#define GOAL (SETS ? SETS : 1)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int done;

static int look(void) {
    pthread_mutex_lock(&lock);
    int found = done;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *poll_it(void *unused) {
#ifndef LEFT
    pthread_mutex_lock(&other);
#endif
    while (look() < GOAL) {
    }
#ifndef LEFT
    pthread_mutex_unlock(&other);
#endif
    return unused;
}

static void *try_it(void *unused) {
    if (pthread_mutex_trylock(&lock) == 0) pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    int n = 0;
#ifdef TRIED
    pthread_create(&threads[n++], NULL, try_it, NULL);
#else
    (void)try_it;
#endif
    for (int i = 0; i < POLLERS; i++) {
        pthread_create(&threads[n++], NULL, poll_it, NULL);
    }
    for (int i = 0; i < SETS; i++) {
#ifdef HELD
        pthread_mutex_lock(&other);
#endif
        pthread_mutex_lock(&lock);
        done++;
        pthread_mutex_unlock(&lock);
#ifdef HELD
        pthread_mutex_unlock(&other);
#endif
    }
#ifndef LEFT
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
    }
#endif
}
