// Misuses in a program that never has a second thread: exploration begins where one is made, and the
// call is the only event. Nothing else could go first: 1 execution, which fails; where
// the memory is no object's, it goes on.
// revision right: each object as it should be. revision itself: a program that is run by itself is the plain
// program, which goes on.
//@ expect: bug
//@ executions: 0
//@ failed: 1
//@ revisions: unlock lock-destroyed destroy-locked destroy-twice garbage garbage-condvar garbage-rwlock rwlock-unlock rwlock-destroyed spin-unlock condvar-destroyed semaphore-never semaphore-destroyed barrier-never barrier-destroyed right made-again itself
//@[unlock] cflags: -DMISUSE=unlock
//@[unlock] kind: unlock-not-owner
//@[lock-destroyed] cflags: -DMISUSE=lock_destroyed
//@[lock-destroyed] kind: uninitialized-object
//@[lock-destroyed] message: a mutex is used after it was destroyed
//@[destroy-locked] cflags: -DMISUSE=destroy_locked
//@[destroy-locked] kind: destroyed-in-use
//@[destroy-twice] cflags: -DMISUSE=destroy_twice
//@[destroy-twice] kind: uninitialized-object
//@[garbage] cflags: -DMISUSE=garbage
//@[garbage] kind: uninitialized-object
//@[garbage] executions: 1
//@[garbage] failed: 0
//@[garbage] message: a mutex is used before it was initialized
//@[garbage-condvar] cflags: -DMISUSE=garbage_condvar
//@[garbage-condvar] kind: uninitialized-object
//@[garbage-condvar] executions: 1
//@[garbage-condvar] failed: 0
//@[garbage-condvar] message: a condition variable is used before it was initialized
//@[garbage-rwlock] cflags: -DMISUSE=garbage_rwlock
//@[garbage-rwlock] kind: uninitialized-object
//@[garbage-rwlock] executions: 1
//@[garbage-rwlock] failed: 0
//@[garbage-rwlock] message: a read-write lock is used before it was initialized
//@[rwlock-unlock] cflags: -DMISUSE=rwlock_unlock
//@[rwlock-unlock] kind: unlock-not-owner
//@[rwlock-destroyed] cflags: -DMISUSE=rwlock_destroyed
//@[rwlock-destroyed] kind: uninitialized-object
//@[spin-unlock] cflags: -DMISUSE=spin_unlock
//@[spin-unlock] kind: unlock-not-owner
//@[condvar-destroyed] cflags: -DMISUSE=condvar_destroyed
//@[condvar-destroyed] kind: uninitialized-object
//@[semaphore-never] cflags: -DMISUSE=semaphore_never
//@[semaphore-never] kind: uninitialized-object
//@[semaphore-destroyed] cflags: -DMISUSE=semaphore_destroyed
//@[semaphore-destroyed] kind: uninitialized-object
//@[semaphore-destroyed] message: a semaphore is used after it was destroyed
//@[barrier-never] cflags: -DMISUSE=barrier_never
//@[barrier-never] kind: uninitialized-object
//@[barrier-destroyed] cflags: -DMISUSE=barrier_destroyed
//@[barrier-destroyed] kind: uninitialized-object
//@[itself] cflags: -DMISUSE=unlock
//@[itself] mode: alone
//@[itself] exit: 0
//@[right] cflags: -DMISUSE=right
//@[right] expect: verified
//@[right] executions: 1
//@[right] failed: 0
//@[made-again] cflags: -DMISUSE=made_again
//@[made-again] expect: verified
//@[made-again] executions: 1
//@[made-again] failed: 0
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condvar = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;

static inline void unlock(void) {
    pthread_mutex_unlock(&mutex); //~[unlock] unlock-not-owner
}

static inline void lock_destroyed(void) {
    pthread_mutex_destroy(&mutex);
    pthread_mutex_lock(&mutex); //~[lock-destroyed] uninitialized-object
}

static inline void destroy_locked(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_destroy(&mutex); //~[destroy-locked] destroyed-in-use
}

static inline void destroy_twice(void) {
    pthread_mutex_destroy(&mutex);
    pthread_mutex_destroy(&mutex); //~[destroy-twice] uninitialized-object
}

static inline void garbage(void) {
    memset(&mutex, 0xa5, sizeof mutex);
    pthread_mutex_lock(&mutex); //~[garbage] uninitialized-object
}

static inline void garbage_condvar(void) {
    memset(&condvar, 0xa5, sizeof condvar);
    pthread_cond_signal(&condvar); //~[garbage-condvar] uninitialized-object
}

static inline void garbage_rwlock(void) {
    memset(&rwlock, 0xa5, sizeof rwlock);
    pthread_rwlock_rdlock(&rwlock); //~[garbage-rwlock] uninitialized-object
}

static inline void rwlock_unlock(void) {
    pthread_rwlock_unlock(&rwlock); //~[rwlock-unlock] unlock-not-owner
}

static inline void rwlock_destroyed(void) {
    pthread_rwlock_destroy(&rwlock);
    pthread_rwlock_rdlock(&rwlock); //~[rwlock-destroyed] uninitialized-object
}

static inline void spin_unlock(void) {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_unlock(&spin); //~[spin-unlock] unlock-not-owner
}

static inline void condvar_destroyed(void) {
    pthread_cond_destroy(&condvar);
    pthread_cond_signal(&condvar); //~[condvar-destroyed] uninitialized-object
}

static inline void semaphore_never(void) {
    sem_post(&semaphore); //~[semaphore-never] uninitialized-object
}

static inline void semaphore_destroyed(void) {
    sem_init(&semaphore, 0, 1);
    sem_destroy(&semaphore);
    sem_wait(&semaphore); //~[semaphore-destroyed] uninitialized-object
}

static inline void barrier_never(void) {
    pthread_barrier_wait(&barrier); //~[barrier-never] uninitialized-object
}

static inline void barrier_destroyed(void) {
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_wait(&barrier); //~[barrier-destroyed] uninitialized-object
}

static inline void right(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_unlock(&mutex); // It says EPERM.
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_destroy(&rwlock);
    pthread_cond_broadcast(&condvar);
    pthread_cond_destroy(&condvar);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    pthread_spin_destroy(&spin);
    sem_init(&semaphore, 0, 0);
    sem_post(&semaphore);
    sem_wait(&semaphore);
    sem_destroy(&semaphore);
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_barrier_wait(&barrier);
    pthread_barrier_destroy(&barrier);
}

// Destroyed objects may be initialized again: by a call, or by assignment where there is an initializer.
static inline void made_again(void) {
    right();
    rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    condvar = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    right();
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    condvar = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    pthread_cond_signal(&condvar);
    pthread_rwlock_unlock(&rwlock);
    pthread_mutex_unlock(&mutex);
}

int main(void) {
    MISUSE();
    return 0;
}
