/* critical, reductions at the end of a loop or region, and the locks of omp.h. */
#include "internal.h"
#include "omp.h"

#include <stdlib.h>

/* The compiler gives each name of a critical 32 bytes of zeros. Those of a mutex that is not robust are
 * in its first 24, and zeros are one that nobody holds. */
static pthread_mutex_t *mutex_of(int32_t *name) { return (pthread_mutex_t *)(void *)name; }

void __kmpc_critical(struct ident *place, int32_t id, int32_t *name)
{
    (void)place, (void)id;
    pthread_mutex_lock(mutex_of(name));
}

void __kmpc_critical_with_hint(struct ident *place, int32_t id, int32_t *name, uint32_t hint)
{
    (void)hint;
    __kmpc_critical(place, id, name);
}

void __kmpc_end_critical(struct ident *place, int32_t id, int32_t *name)
{
    (void)place, (void)id;
    pthread_mutex_unlock(mutex_of(name));
}

/* Where the compiler has atomic operations for it, it is to take them: those of integers commute, so that
 * their order is not explored. Otherwise a mutex. Neither waits for the other threads: behind a reduction
 * with nowait nothing is ordered. */
static int32_t reduce(struct ident *place, int32_t *name)
{
    struct task *task = dpor_omp_current();
    task->reduction_is_locked = false;
    if (task->team->size == 1)
        return 1;
    if (place->flags & IDENT_ATOMIC_REDUCTION)
        return 2;
    pthread_mutex_lock(mutex_of(name));
    task->reduction_is_locked = true;
    return 1;
}

static void end_reduce(int32_t *name)
{
    struct task *task = dpor_omp_current();
    if (task->reduction_is_locked)
        pthread_mutex_unlock(mutex_of(name));
    task->reduction_is_locked = false;
}

int32_t __kmpc_reduce_nowait(struct ident *place, int32_t id, int32_t count, size_t bytes, void *data,
                             void (*combine)(void *, void *), int32_t *name)
{
    (void)id, (void)count, (void)bytes, (void)data, (void)combine;
    return reduce(place, name);
}

void __kmpc_end_reduce_nowait(struct ident *place, int32_t id, int32_t *name)
{
    (void)place, (void)id;
    end_reduce(name);
}

int32_t __kmpc_reduce(struct ident *place, int32_t id, int32_t count, size_t bytes, void *data,
                      void (*combine)(void *, void *), int32_t *name)
{
    return __kmpc_reduce_nowait(place, id, count, bytes, data, combine, name);
}

void __kmpc_end_reduce(struct ident *place, int32_t id, int32_t *name)
{
    (void)place, (void)id;
    end_reduce(name);
    dpor_omp_barrier(dpor_omp_current());
}

struct nest {
    pthread_mutex_t mutex;
    int count; /* its owner's */
};

static void begin_mutex(pthread_mutex_t *mutex, int kind)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void omp_init_lock(omp_lock_t *lock)
{
    pthread_mutex_t *mutex = dpor_omp_allocate(1, sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    lock->_lk = mutex;
}

void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint)
{
    (void)hint;
    omp_init_lock(lock);
}

void omp_destroy_lock(omp_lock_t *lock)
{
    pthread_mutex_destroy(lock->_lk);
    free(lock->_lk);
    lock->_lk = NULL;
}

void omp_set_lock(omp_lock_t *lock) { pthread_mutex_lock(lock->_lk); }
void omp_unset_lock(omp_lock_t *lock) { pthread_mutex_unlock(lock->_lk); }
int omp_test_lock(omp_lock_t *lock) { return pthread_mutex_trylock(lock->_lk) == 0; }

void omp_init_nest_lock(omp_nest_lock_t *lock)
{
    struct nest *nest = dpor_omp_allocate(1, sizeof *nest);
    begin_mutex(&nest->mutex, PTHREAD_MUTEX_RECURSIVE);
    lock->_lk = nest;
}

void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint)
{
    (void)hint;
    omp_init_nest_lock(lock);
}

void omp_destroy_nest_lock(omp_nest_lock_t *lock)
{
    struct nest *nest = lock->_lk;
    pthread_mutex_destroy(&nest->mutex);
    free(nest);
    lock->_lk = NULL;
}

void omp_set_nest_lock(omp_nest_lock_t *lock)
{
    struct nest *nest = lock->_lk;
    pthread_mutex_lock(&nest->mutex);
    nest->count++;
}

void omp_unset_nest_lock(omp_nest_lock_t *lock)
{
    struct nest *nest = lock->_lk;
    nest->count--;
    pthread_mutex_unlock(&nest->mutex);
}

int omp_test_nest_lock(omp_nest_lock_t *lock)
{
    struct nest *nest = lock->_lk;
    return pthread_mutex_trylock(&nest->mutex) == 0 ? ++nest->count : 0;
}
