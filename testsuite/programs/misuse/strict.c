// With --strict a mutex of zeros is none: a warning for each that is used and that nobody initialized,
// at its first use. glibc takes it for a mutex, so nothing else changes: both threads lock it once, in 2
// orders.
// revision wrapped: the lock is the last thing that a function does. revision try: the second thread tries it, before the lock, after the unlock or in between: 3.
// revision before: the first use is before the second thread. revisions alone, until: there is no second
// thread: 1. revision waits: the only use that names the function is a wait, which is there in the order
// in which the flag is not set yet.
// revision c11: what has no initializer but a call. revision after: a mutex is destroyed, and its memory
// is cleared. revision each: two of them at one place in the program, told once, and one at another.
// revision conditional: thread 1 uses it in one of the two orders only. revision counts: with
// --warnings-as-errors.
// revisions right-*: nothing to warn of, with the initializer in a static
// variable, in part of one, assigned to a block and to a variable on the stack, copied; with the other
// kinds' initializers, with calls, and after a destruction.
// revision unmarked: the header of ours is not used, so that the initializer is zeros in this module.
//@ revisions: static wrapped heap stack part try before alone until waits c11 after each conditional counts right-static right-part right-heap right-stack right-kinds right-calls right-c11 right-after right-copy right-alone unmarked
//@ expect: verified
//@ args: --strict
//@ executions: 2
//@ opt: O0 O1 O2
//@[static] cflags: -DAT=zeros
//@[static] kind: uninitialized-object
//@[static] message: a mutex of zeros is used that nobody initialized
//@[wrapped] cflags: -DAT=zeros -DWRAPPED
//@[wrapped] kind: uninitialized-object
//@[heap] cflags: -DAT=(*block)
//@[heap] kind: uninitialized-object
//@[stack] cflags: -DAT=local
//@[stack] kind: uninitialized-object
//@[part] cflags: -DAT=part.mutex
//@[part] kind: uninitialized-object
//@[try] cflags: -DAT=zeros -DTRY
//@[try] kind: uninitialized-object
//@[try] executions: 3
//@[before] cflags: -DAT=zeros -DBEFORE
//@[before] kind: uninitialized-object
//@[alone] cflags: -DAT=zeros -DBEFORE -DALONE
//@[alone] kind: uninitialized-object
//@[alone] executions: 1
//@[until] cflags: -DAT=zeros -DUNTIL -DALONE
//@[until] kind: uninitialized-object
//@[until] executions: 1
//@[waits] cflags: -DAT=zeros -DWAITS
//@[waits] kind: uninitialized-object
//@[c11] cflags: -DAT=zeros -DC11
//@[c11] kind: uninitialized-object
//@[after] cflags: -DAT=zeros -DAFTER -DBEFORE
//@[after] kind: uninitialized-object
//@[each] cflags: -DAT=zeros -DEACH
//@[each] kind: uninitialized-object
//@[conditional] cflags: -DAT=initialized -DCONDITIONAL
//@[conditional] kind: uninitialized-object
//@[counts] cflags: -DAT=zeros
//@[counts] args: --warnings-as-errors -k
//@[counts] expect: bug
//@[counts] kind: uninitialized-object
//@[right-static] cflags: -DAT=initialized
//@[right-part] cflags: -DAT=initialized_part.mutex
//@[right-heap] cflags: -DAT=(*block) -DASSIGN
//@[right-stack] cflags: -DAT=local -DASSIGN
//@[right-kinds] cflags: -DAT=initialized -DKINDS
//@[right-calls] cflags: -DAT=zeros -DCALL -DBEFORE
//@[right-c11] cflags: -DAT=zeros -DC11 -DCALL
//@[right-after] cflags: -DAT=zeros -DAFTER -DASSIGN -DBEFORE
//@[right-copy] cflags: -DAT=local -DCOPY
//@[right-alone] cflags: -DAT=initialized -DBEFORE -DALONE
//@[right-alone] executions: 1
//@[unmarked] cflags: -DAT=zeros -DUNMARKED
#define _GNU_SOURCE
#ifdef UNMARKED
#include "/usr/include/pthread.h"
#else
#include <pthread.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t zeros;
static pthread_mutex_t initialized = PTHREAD_MUTEX_INITIALIZER;
struct part {
    const char *name;
    pthread_mutex_t mutex;
};
struct part part = {"part", {{0}}};
struct part initialized_part = {"initialized", PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t several[2], sometimes;

static pthread_mutex_t *mutex;
static int shared;

#ifdef C11
#define LOCK(m) mtx_lock((mtx_t *)(m))
#define UNLOCK(m) mtx_unlock((mtx_t *)(m))
#else
#define LOCK(m) pthread_mutex_lock(m)
#define UNLOCK(m) pthread_mutex_unlock(m)
#endif

#ifdef WRAPPED
__attribute__((noinline)) static void wrapped(pthread_mutex_t *m) { pthread_mutex_lock(m); }
#undef LOCK
#define LOCK(m) wrapped(m)
#endif

static void use(void) {
#ifdef EACH
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&several[i]); //~[each] uninitialized-object
        pthread_mutex_unlock(&several[i]);
    }
#endif
    LOCK(mutex); //~[before] uninitialized-object
    shared++;
    UNLOCK(mutex);
}

// Who calls by an address is not known.
static int (*volatile lock)(pthread_mutex_t *) = pthread_mutex_lock;
static pthread_cond_t condvar = PTHREAD_COND_INITIALIZER;

static void *work(void *unused) {
#ifdef TRY
    if (pthread_mutex_trylock(mutex) == 0)
        pthread_mutex_unlock(mutex);
#elif defined WAITS
    lock(mutex);
    shared = 1;
    pthread_cond_signal(&condvar);
    pthread_mutex_unlock(mutex);
#else
    LOCK(mutex);
    int seen = shared++;
    UNLOCK(mutex);
#ifdef CONDITIONAL
    if (seen == 0) {
        pthread_mutex_lock(&sometimes); //~[conditional] uninitialized-object
        pthread_mutex_unlock(&sometimes);
    }
#endif
    (void)seen;
#endif
    return unused;
}

static void others(void) {
#ifdef KINDS
    static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
    pthread_mutex_t *all[] = {&recursive, &checking, &adaptive};
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(all[i]);
        pthread_mutex_unlock(all[i]);
    }
#endif
#ifdef UNTIL
    struct timespec past = {0, 0};
    if (pthread_mutex_timedlock(mutex, &past) == 0) //~[until] uninitialized-object
        pthread_mutex_unlock(mutex);
#endif
#ifdef BEFORE
    use();
#endif
}

static void with_thread(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
#if defined BEFORE
    LOCK(mutex);
    UNLOCK(mutex);
#elif defined WAITS
    lock(mutex);
    while (!shared)
        pthread_cond_wait(&condvar, mutex); //~[waits] uninitialized-object
    pthread_mutex_unlock(mutex);
#else
    use();
#endif
    pthread_join(thread, 0);
}

int main(void) {
    pthread_mutex_t *block = calloc(1, sizeof *block);
    pthread_mutex_t local;
    memset(&local, 0, sizeof local);
#if defined C11 && defined CALL
    mtx_init((mtx_t *)&AT, mtx_plain);
#elif defined CALL || defined AFTER
    pthread_mutex_init(&AT, 0);
#endif
#ifdef AFTER
    pthread_mutex_destroy(&AT);
    memset(&AT, 0, sizeof(pthread_mutex_t));
#endif
#ifdef ASSIGN
    AT = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
#endif
#ifdef COPY
    AT = initialized;
#endif
    mutex = &AT;
    others();
#ifndef ALONE
    with_thread();
#endif
#ifdef CALL
    pthread_mutex_destroy(mutex);
#endif
    free(block);
    return 0;
}
