// A synchronization object is overwritten by plain code while another thread calls functions on it: a
// race, whichever comes first. The calls themselves do not race with each other. Only the thread's calls
// are events, and main makes none before the join, so there is one trace; in it nothing orders the two.
// Overwritten after the join: clean. The calls of the two threads on one object, and nothing else, are
// clean, too: two sections of a lock come in two orders, and so do two posts where nothing commutes.
//@ revisions: mutex rwlock cond semaphore spin once mutex-after cond-after mutex-calls semaphore-calls
//@[mutex] cflags: -DTYPE=pthread_mutex_t -DCALL=pthread_mutex_lock(&object);pthread_mutex_unlock(&object)
//@[mutex] expect: bug
//@[mutex] kind: data-race
//@[mutex] executions: 1
//@[rwlock] cflags: -DTYPE=pthread_rwlock_t -DCALL=pthread_rwlock_rdlock(&object);pthread_rwlock_unlock(&object)
//@[rwlock] expect: bug
//@[rwlock] kind: data-race
//@[rwlock] executions: 1
//@[cond] cflags: -DTYPE=pthread_cond_t -DCALL=pthread_cond_signal(&object)
//@[cond] expect: bug
//@[cond] kind: data-race
//@[cond] executions: 1
//@[semaphore] cflags: -DTYPE=sem_t -DBEGIN=sem_init(&object,0,0) -DCALL=sem_post(&object)
//@[semaphore] expect: bug
//@[semaphore] kind: data-race
//@[semaphore] executions: 1
//@[spin] cflags: -DTYPE=pthread_spinlock_t -DBEGIN=pthread_spin_init(&object,0) -DCALL=pthread_spin_lock(&object);pthread_spin_unlock(&object)
//@[spin] expect: bug
//@[spin] kind: data-race
//@[spin] executions: 1
//@[once] cflags: -DTYPE=pthread_once_t -DCALL=pthread_once(&object,nothing)
//@[once] expect: bug
//@[once] kind: data-race
//@[once] executions: 1
//@[mutex-after] cflags: -DLATER -DTYPE=pthread_mutex_t -DCALL=pthread_mutex_lock(&object);pthread_mutex_unlock(&object)
//@[mutex-after] expect: verified
//@[mutex-after] executions: 1
//@[cond-after] cflags: -DLATER -DTYPE=pthread_cond_t -DCALL=pthread_cond_broadcast(&object)
//@[cond-after] expect: verified
//@[cond-after] executions: 1
//@[mutex-calls] cflags: -DBOTH -DLATER -DTYPE=pthread_mutex_t -DCALL=pthread_mutex_lock(&object);pthread_mutex_unlock(&object)
//@[mutex-calls] expect: verified
//@[mutex-calls] executions: 2
//@[semaphore-calls] cflags: -DEND=sem_destroy(&object) -DBOTH -DLATER -DTYPE=sem_t -DBEGIN=sem_init(&object,0,0) -DCALL=sem_post(&object)
//@[semaphore-calls] expect: verified
//@[semaphore-calls] args: --reductions=none
//@[semaphore-calls] executions: 2
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#ifndef BEGIN
#define BEGIN (void)0
#endif

TYPE object;

void nothing(void) {}

static void *caller(void *unused) {
    CALL;
    return unused;
}

int main(void) {
    pthread_t thread;
    BEGIN;
    pthread_create(&thread, 0, caller, 0);
#ifdef BOTH
    CALL;
#endif
#ifndef LATER
    memset((void *)&object, 0, sizeof object);
#endif
    pthread_join(thread, 0);
#ifdef END
    END;
#endif
#ifdef LATER
    memset((void *)&object, 0, sizeof object);
#endif
    return 0;
}
