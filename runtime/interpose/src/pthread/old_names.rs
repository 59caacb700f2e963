//! The names under which old binaries know some functions. Each does what its newer one does.

use super::mutex::*;
use super::rwlock::*;
use ::libc::{pthread_mutex_t, pthread_mutexattr_t, pthread_rwlock_t, pthread_rwlockattr_t};
use core::ffi::c_int;

super::same! {
    __pthread_mutex_init = pthread_mutex_init(m: *mut pthread_mutex_t, a: *const pthread_mutexattr_t);
    __pthread_mutex_destroy = pthread_mutex_destroy(m: *mut pthread_mutex_t);
    __pthread_mutex_lock = pthread_mutex_lock(m: *mut pthread_mutex_t);
    __pthread_mutex_trylock = pthread_mutex_trylock(m: *mut pthread_mutex_t);
    __pthread_mutex_unlock = pthread_mutex_unlock(m: *mut pthread_mutex_t);
    pthread_mutex_consistent_np = pthread_mutex_consistent(m: *mut pthread_mutex_t);
    __pthread_rwlock_init =
        pthread_rwlock_init(l: *mut pthread_rwlock_t, a: *const pthread_rwlockattr_t);
    __pthread_rwlock_destroy = pthread_rwlock_destroy(l: *mut pthread_rwlock_t);
    __pthread_rwlock_rdlock = pthread_rwlock_rdlock(l: *mut pthread_rwlock_t);
    __pthread_rwlock_wrlock = pthread_rwlock_wrlock(l: *mut pthread_rwlock_t);
    __pthread_rwlock_tryrdlock = pthread_rwlock_tryrdlock(l: *mut pthread_rwlock_t);
    __pthread_rwlock_trywrlock = pthread_rwlock_trywrlock(l: *mut pthread_rwlock_t);
    __pthread_rwlock_unlock = pthread_rwlock_unlock(l: *mut pthread_rwlock_t);
}
