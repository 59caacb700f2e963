// The same as late_beside.c for other calls in which a thread blocks, and that go on after the handler.
// mutex, writer, announced, reader, condition, join, loop, barrier: No G: x=2, 1. G: the handler reads 0, 1 or 2: 3. That the
// thread waits on and is let go is ordered after all that main does. 4 in all. An announced writer stays one: the lock
// prefers writers. A waiter of the condition variable stays one: main may signal it before the handler runs.
// read: No G: 1. G: it looks whether there is a byte, before main writes it: 3; or after that: then the call takes it,
// and the handler runs afterwards: 1. 5 in all.
// serial: the same barrier, and the program looks at the result: a thread that has arrived cannot be reached.
//@ args: --timeouts=none
//@ revisions: mutex writer announced reader condition join loop read barrier serial
//@[mutex] cflags: -DMUTEX
//@[writer] cflags: -DWRITER
//@[announced] cflags: -DWRITER -DANNOUNCED
//@[reader] cflags: -DREADER
//@[condition] cflags: -DCONDITION
//@[join] cflags: -DJOIN
//@[loop] cflags: -DLOOP
//@[read] cflags: -DREAD
//@[barrier] cflags: -DBARRIER
//@[serial] cflags: -DBARRIER -DSERIAL
//@[mutex] expect: verified
//@[mutex] executions: 4
//@[mutex] outcomes: x=0 *1 | x=1 *1 | x=2 *2
//@[mutex] dfs: same-outcomes
//@[writer] expect: verified
//@[writer] executions: 4
//@[writer] outcomes: x=0 *1 | x=1 *1 | x=2 *2
//@[writer] dfs: same-outcomes
//@[announced] expect: verified
//@[announced] executions: 4
//@[announced] outcomes: x=0 *1 | x=1 *1 | x=2 *2
//@[announced] dfs: same-outcomes
//@[reader] expect: verified
//@[reader] executions: 4
//@[reader] outcomes: x=0 *1 | x=1 *1 | x=2 *2
//@[reader] dfs: same-outcomes
//@[condition] expect: verified
//@[condition] executions: 4
//@[condition] outcomes: x=0 *1 | x=1 *1 | x=2 *2
//@[condition] dfs: same-outcomes
//@[join] expect: verified
//@[join] executions: 4
//@[join] outcomes: x=0 *1 | x=1 *1 | x=2 *2
//@[join] dfs: same-outcomes
//@[loop] expect: verified
//@[loop] executions: 4
//@[loop] outcomes: x=0 *1 | x=1 *1 | x=2 *2
//@[loop] dfs: same-outcomes
//@[read] expect: verified
//@[read] executions: 5
//@[read] outcomes: x=0 *1 | x=1 *1 | x=2 *3
//@[read] dfs: same-outcomes
//@[barrier] expect: verified
//@[barrier] executions: 4
//@[barrier] outcomes: x=0 *1 | x=1 *1 | x=2 *2
//@[barrier] dfs: same-outcomes
//@[serial] expect: unsupported
//@[serial] reason: a signal for a thread that waits at a barrier
#define _GNU_SOURCE
#include <dpor.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static sem_t never;
static atomic_int x;
static int seen;

static void handler(int signal) {
    seen = x;
    (void)signal;
}

#if defined MUTEX
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void begin(void) { pthread_mutex_lock(&mutex); }
static void block(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}
static void release(void) { pthread_mutex_unlock(&mutex); }
#elif defined WRITER || defined READER
static pthread_rwlock_t lock;
static void begin(void) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
#ifdef ANNOUNCED
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(&lock, &attributes);
    pthread_rwlock_wrlock(&lock);
}
static void block(void) {
#ifdef WRITER
    pthread_rwlock_wrlock(&lock);
#else
    pthread_rwlock_rdlock(&lock);
#endif
    pthread_rwlock_unlock(&lock);
}
static void release(void) { pthread_rwlock_unlock(&lock); }
#elif defined CONDITION
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;
static void begin(void) {}
static void block(void) {
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
}
static void release(void) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}
#elif defined JOIN
static sem_t ends;
static pthread_t other;
static void *wait_too(void *unused) {
    sem_wait(&ends);
    return unused;
}
static void begin(void) {
    sem_init(&ends, 0, 0);
    pthread_create(&other, 0, wait_too, 0);
}
static void block(void) { pthread_join(other, 0); }
static void release(void) { sem_post(&ends); }
#elif defined LOOP
static atomic_int go;
static void begin(void) {}
static void block(void) {
    while (!go) {
    }
}
static void release(void) { go = 1; }
#elif defined READ
static int ends[2];
static void begin(void) { pipe(ends); }
static void block(void) {
    char byte = 0;
    long bytes = read(ends[0], &byte, 1);
    dpor_assert(bytes == 1 && byte == 'a');
}
static void release(void) { write(ends[1], "a", 1); }
#elif defined BARRIER
static pthread_barrier_t barrier;
static void begin(void) { pthread_barrier_init(&barrier, 0, 2); }
#ifdef SERIAL
static void block(void) { dpor_observe("serial", pthread_barrier_wait(&barrier) != 0); }
#else
static void block(void) { pthread_barrier_wait(&barrier); }
#endif
static void release(void) { pthread_barrier_wait(&barrier); }
#endif

static void *work(void *unused) {
    block();
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec until = {4000000000, 0};
    sem_init(&never, 0, 0);
    signal(SIGUSR1, handler);
    begin();
    pthread_create(&thread, 0, work, 0);
    sem_timedwait(&never, &until);
    pthread_kill(thread, SIGUSR1);
    x = 1;
    x = 2;
    release();
    pthread_join(thread, 0);
    dpor_observe("x", seen);
    sem_destroy(&never);
#ifdef JOIN
    sem_destroy(&ends);
#endif
#if defined WRITER || defined READER
    pthread_rwlock_destroy(&lock);
#endif
#ifdef BARRIER
    pthread_barrier_destroy(&barrier);
#endif
    return 0;
}
