// As polls_locked.c, with other locks around the flag: a spin lock, a read-write lock that is read or written, a semaphore.
// By hand, of the order in which the lock is taken: the setter first, 1 execution; the poller first, and it goes no
// further, 1 blocked.
// [two] Two threads read under one read-write lock, and main sets the flag. They commute, so that a trace is what each
// of them found: both after main, 1; one or both before main, and these go no further, 3 blocked.
// [post] The semaphore is posted before it is waited for: the turn gives the setter its chance and takes it back. The
// setter gets it in the first turn, 1; where it does not, the poller goes no further, 1 blocked.
// [tried] Another thread tries to write beside a reader: its try fails only during a turn, or while main writes. As in
// polls_locked.c with `tried`, since a try to write conflicts with the reader's lock and unlock as a try of a mutex does:
// 15 and 7.
// [never] Nobody sets it: the poller goes round for ever.
//@ revisions: spin reader writer semaphore two post tried never
//@ args: --reductions=commute
//@ opt: O0 O2
//@[spin] cflags: -DSPIN
//@[spin] expect: verified
//@[spin] executions: 1
//@[spin] blocked: 1
//@[reader] cflags: -DREADER
//@[reader] expect: verified
//@[reader] executions: 1
//@[reader] blocked: 1
//@[writer] cflags: -DWRITER
//@[writer] expect: verified
//@[writer] executions: 1
//@[writer] blocked: 1
//@[semaphore] cflags: -DSEMAPHORE
//@[semaphore] expect: verified
//@[semaphore] executions: 1
//@[semaphore] blocked: 1
//@[two] cflags: -DREADER -DTWO
//@[two] expect: verified
//@[two] executions: 1
//@[two] blocked: 3
//@[post] cflags: -DPOST
//@[post] expect: verified
//@[post] executions: 1
//@[post] blocked: 1
//@[tried] cflags: -DREADER -DTRIED
//@[tried] expect: verified
//@[tried] executions: 15
//@[tried] blocked: 7
//@[never] cflags: -DREADER -DNEVER
//@[never] expect: bug
//@[never] kind: livelock
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static int done;

#if defined SPIN
static pthread_spinlock_t lock;
static void begin(void) { pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE); }
static void end(void) { pthread_spin_destroy(&lock); }
#define TAKE() pthread_spin_lock(&lock)
#define LEAVE() pthread_spin_unlock(&lock)
#define TAKE_TO_SET() pthread_spin_lock(&lock)
#define LEAVE_SET() pthread_spin_unlock(&lock)
#elif defined READER || defined WRITER
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void begin(void) {}
static void end(void) {}
#ifdef READER
#define TAKE() pthread_rwlock_rdlock(&lock)
#else
#define TAKE() pthread_rwlock_wrlock(&lock)
#endif
#define LEAVE() pthread_rwlock_unlock(&lock)
#define TAKE_TO_SET() pthread_rwlock_wrlock(&lock)
#define LEAVE_SET() pthread_rwlock_unlock(&lock)
#elif defined SEMAPHORE
static sem_t lock;
static void begin(void) { sem_init(&lock, 0, 1); }
static void end(void) { sem_destroy(&lock); }
#define TAKE() sem_wait(&lock)
#define LEAVE() sem_post(&lock)
#define TAKE_TO_SET() sem_wait(&lock)
#define LEAVE_SET() sem_post(&lock)
#elif defined POST
static sem_t lock, back;
static void begin(void) { sem_init(&lock, 0, 0), sem_init(&back, 0, 0); }
static void end(void) { sem_destroy(&lock), sem_destroy(&back); }
#define TAKE() (sem_post(&lock), sem_wait(&lock))
#define LEAVE() 0
#define TAKE_TO_SET() sem_wait(&lock)
#define LEAVE_SET() sem_post(&lock)
#endif

static void *poll(void *unused) {
    for (;;) {
        TAKE();
        int found = done;
        LEAVE();
        if (found) return unused;
    }
}

#ifdef TRIED
static void *try(void *unused) {
    if (pthread_rwlock_trywrlock(&lock) == 0) pthread_rwlock_unlock(&lock);
    return unused;
}
#endif

int main(void) {
    pthread_t poller, other;
    begin();
    pthread_create(&poller, NULL, poll, NULL);
#ifdef TWO
    pthread_create(&other, NULL, poll, NULL);
#elif defined TRIED
    pthread_create(&other, NULL, try, NULL);
#else
    (void)other;
#endif
#ifndef NEVER
    TAKE_TO_SET();
    done = 1;
    LEAVE_SET();
#endif
#if defined TWO || defined TRIED
    pthread_join(other, NULL);
#endif
    pthread_join(poller, NULL);
    end();
    return 0;
}
