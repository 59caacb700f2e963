// Loops around calls that try to lock: the call waits. By hand: one of two critical sections is first: 2 executions.
// [checking] Who holds the mutex tries for ever. [kept] A thread does not give the lock back: the other one waits for
// ever, or was first. [sum] The loop counts, which is more than to wait: it goes round.
//@ revisions: mutex yields sleeps busy spin semaphore read c11 kept checking sum
//@ opt: O0 O2
//@[mutex] expect: verified
//@[mutex] executions: 2
//@[yields] cflags: -DWAIT=sched_yield()
//@[yields] expect: verified
//@[yields] executions: 2
//@[sleeps] cflags: -DWAIT=usleep(100)
//@[sleeps] expect: verified
//@[sleeps] executions: 2
//@[busy] cflags: -DTRY=(pthread_mutex_trylock(&mutex)==EBUSY)
//@[busy] expect: verified
//@[busy] executions: 2
//@[spin] cflags: -DTRY=pthread_spin_trylock(&spin) -DLEAVE=pthread_spin_unlock(&spin)
//@[spin] expect: verified
//@[spin] executions: 2
//@[semaphore] cflags: -DTRY=(sem_trywait(&semaphore)==-1) -DLEAVE=sem_post(&semaphore) -DWAIT=sched_yield()
//@[semaphore] expect: verified
//@[semaphore] executions: 2
//@[read] cflags: -DTRY=pthread_rwlock_trywrlock(&rwlock) -DLEAVE=pthread_rwlock_unlock(&rwlock) -DREADS
//@[read] expect: verified
//@[read] executions: 2
//@[c11] cflags: -DTRY=(mtx_trylock(&mtx)!=thrd_success) -DLEAVE=mtx_unlock(&mtx)
//@[c11] expect: verified
//@[c11] executions: 2
//@[kept] cflags: -DLEAVE=(me?0:pthread_mutex_unlock(&mutex)) -DKEPT
//@[kept] expect: bug
//@[kept] kind: deadlock thread-misuse
//@[kept] executions: 1
//@[kept] deadlocked: 1
//@[kept] args: --keep-going
//@[checking] cflags: -DKIND=PTHREAD_MUTEX_ERRORCHECK -DAGAIN
//@[checking] expect: incomplete
//@[checking] args: --max-events=100 --max-executions=100
//@[sum] cflags: -DWAIT=sum++
//@[sum] expect: incomplete
//@[sum] args: --max-events=100 --max-executions=100
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <threads.h>
#include <unistd.h>

#ifndef TRY
#define TRY pthread_mutex_trylock(&mutex)
#endif
#ifndef LEAVE
#define LEAVE pthread_mutex_unlock(&mutex)
#endif
#ifndef WAIT
#define WAIT
#endif
#ifndef KIND
#define KIND PTHREAD_MUTEX_DEFAULT
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static mtx_t mtx;
static int shared;

static void *work(void *me) {
    int sum = 0;
#ifdef READS
    if (me) {
        while (pthread_rwlock_tryrdlock(&rwlock)) WAIT;
        sum = shared;
        LEAVE;
        return sum ? NULL : me;
    }
#endif
    while (TRY) WAIT;
#ifdef AGAIN
    while (TRY) WAIT;
#endif
    shared++;
    LEAVE;
    return sum ? NULL : me;
}

int main(void) {
    pthread_t one, two;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, KIND);
#ifndef KEPT
    pthread_mutex_init(&mutex, &kind);
#endif
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&semaphore, 0, 1);
    mtx_init(&mtx, mtx_plain);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, &shared);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
#ifndef KEPT
    pthread_mutex_destroy(&mutex);
#endif
    pthread_spin_destroy(&spin);
    sem_destroy(&semaphore);
    mtx_destroy(&mtx);
}
