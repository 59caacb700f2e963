//! What becomes of every function of libc that creates, ends, orders or names threads or processes.
//!
//! Three groups: *modelled* (an interposed function gives it a meaning under exploration), *passed
//! through* (libc's own is right, for the reason given), *unsupported* (a call under exploration
//! ends the check with that verdict and the function's name). [`belongs`] says which names must be
//! in one of them, so that a function of a newer libc cannot be forgotten silently.
//!
//! Public symbols of glibc 2.36 to 2.41, with the names that only old binaries use.

/// Given a meaning by the runtime.
#[rustfmt::skip] // A table: many names to a line.
pub const MODELLED: &[&str] = &[
    "__assert", "__assert_fail", "__assert_perror_fail", "__cxa_thread_atexit_impl",
    "__pthread_key_create", "__pthread_mutex_destroy", "__pthread_mutex_init",
    "__pthread_mutex_lock", "__pthread_mutex_trylock", "__pthread_mutex_unlock",
    "__pthread_once", "__pthread_register_cancel", "__pthread_register_cancel_defer",
    "__pthread_rwlock_destroy", "__pthread_rwlock_init", "__pthread_rwlock_rdlock",
    "__pthread_rwlock_tryrdlock", "__pthread_rwlock_trywrlock", "__pthread_rwlock_unlock",
    "__pthread_rwlock_wrlock", "__pthread_unregister_cancel",
    "__pthread_unregister_cancel_restore", "__pthread_unwind_next", "__sched_yield",
    "_pthread_cleanup_pop", "_pthread_cleanup_pop_restore", "_pthread_cleanup_push",
    "_pthread_cleanup_push_defer", "abort", "call_once", "cnd_broadcast", "cnd_destroy",
    "cnd_init", "cnd_signal", "cnd_timedwait", "cnd_wait", "flockfile", "ftrylockfile",
    "funlockfile", "mtx_destroy", "mtx_init", "mtx_lock", "mtx_timedlock", "mtx_trylock",
    "mtx_unlock", "pthread_barrier_destroy", "pthread_barrier_init",
    "pthread_barrier_wait", "pthread_cancel", "pthread_clockjoin_np",
    "pthread_cond_broadcast", "pthread_cond_clockwait", "pthread_cond_destroy",
    "pthread_cond_init", "pthread_cond_signal", "pthread_cond_timedwait",
    "pthread_cond_wait", "pthread_create", "pthread_detach", "pthread_exit",
    "pthread_getaffinity_np", "pthread_getattr_default_np", "pthread_getconcurrency",
    "pthread_getcpuclockid", "pthread_getname_np", "pthread_getschedparam",
    "pthread_join", "pthread_key_create", "pthread_key_delete", "pthread_kill",
    "pthread_mutex_clocklock", "pthread_mutex_consistent", "pthread_mutex_consistent_np",
    "pthread_mutex_destroy", "pthread_mutex_init", "pthread_mutex_lock",
    "pthread_mutex_setprioceiling", "pthread_mutex_timedlock", "pthread_mutex_trylock",
    "pthread_mutex_unlock", "pthread_once", "pthread_rwlock_clockrdlock",
    "pthread_rwlock_clockwrlock", "pthread_rwlock_destroy", "pthread_rwlock_init",
    "pthread_rwlock_rdlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock",
    "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock", "pthread_rwlock_unlock",
    "pthread_rwlock_wrlock", "pthread_setaffinity_np", "pthread_setattr_default_np",
    "pthread_setcancelstate", "pthread_setcanceltype", "pthread_setconcurrency",
    "pthread_setname_np", "pthread_setschedparam", "pthread_setschedprio",
    "pthread_sigmask", "pthread_sigqueue", "pthread_spin_destroy", "pthread_spin_init",
    "pthread_spin_lock", "pthread_spin_trylock", "pthread_spin_unlock",
    "pthread_testcancel", "pthread_timedjoin_np", "pthread_tryjoin_np", "pthread_yield",
    "sched_yield", "sem_clockwait", "sem_close", "sem_destroy", "sem_getvalue",
    "sem_init", "sem_open", "sem_post", "sem_timedwait", "sem_trywait", "sem_unlink",
    "sem_wait", "thrd_create", "thrd_detach", "thrd_exit", "thrd_join", "thrd_sleep",
    "thrd_yield", "tss_create", "tss_delete", "tss_get", "tss_set",
];

/// Libc's own, and why that is right.
#[rustfmt::skip] // A table: many names to a line.
pub const PASSED_THROUGH: &[(&str, &[&str])] = &[
    (
        "only reads and writes the attribute object it is given, or an attribute of a mutex",
        &[
            "__pthread_mutexattr_destroy", "__pthread_mutexattr_init",
            "__pthread_mutexattr_settype", "posix_spawn_file_actions_addchdir_np",
            "posix_spawn_file_actions_addclose",
            "posix_spawn_file_actions_addclosefrom_np",
            "posix_spawn_file_actions_adddup2",
            "posix_spawn_file_actions_addfchdir_np",
            "posix_spawn_file_actions_addopen",
            "posix_spawn_file_actions_addtcsetpgrp_np",
            "posix_spawn_file_actions_destroy", "posix_spawn_file_actions_init",
            "posix_spawnattr_destroy", "posix_spawnattr_getcgroup_np",
            "posix_spawnattr_getflags",
            "posix_spawnattr_getpgroup", "posix_spawnattr_getschedparam",
            "posix_spawnattr_getschedpolicy", "posix_spawnattr_getsigdefault",
            "posix_spawnattr_getsigmask", "posix_spawnattr_init",
            "posix_spawnattr_setcgroup_np",
            "posix_spawnattr_setflags", "posix_spawnattr_setpgroup",
            "posix_spawnattr_setschedparam", "posix_spawnattr_setschedpolicy",
            "posix_spawnattr_setsigdefault", "posix_spawnattr_setsigmask",
            "pthread_attr_destroy", "pthread_attr_getaffinity_np",
            "pthread_attr_getdetachstate", "pthread_attr_getguardsize",
            "pthread_attr_getinheritsched", "pthread_attr_getschedparam",
            "pthread_attr_getschedpolicy", "pthread_attr_getscope",
            "pthread_attr_getsigmask_np", "pthread_attr_getstack",
            "pthread_attr_getstackaddr", "pthread_attr_getstacksize",
            "pthread_attr_init", "pthread_attr_setaffinity_np",
            "pthread_attr_setdetachstate", "pthread_attr_setguardsize",
            "pthread_attr_setinheritsched", "pthread_attr_setschedparam",
            "pthread_attr_setschedpolicy", "pthread_attr_setscope",
            "pthread_attr_setsigmask_np", "pthread_attr_setstack",
            "pthread_attr_setstackaddr", "pthread_attr_setstacksize",
            "pthread_barrierattr_destroy", "pthread_barrierattr_getpshared",
            "pthread_barrierattr_init", "pthread_barrierattr_setpshared",
            "pthread_condattr_destroy", "pthread_condattr_getclock",
            "pthread_condattr_getpshared", "pthread_condattr_init",
            "pthread_condattr_setclock", "pthread_condattr_setpshared",
            "pthread_mutex_getprioceiling", "pthread_mutexattr_destroy",
            "pthread_mutexattr_getkind_np",
            "pthread_mutexattr_getprioceiling", "pthread_mutexattr_getprotocol",
            "pthread_mutexattr_getpshared", "pthread_mutexattr_getrobust",
            "pthread_mutexattr_getrobust_np", "pthread_mutexattr_gettype",
            "pthread_mutexattr_init", "pthread_mutexattr_setkind_np",
            "pthread_mutexattr_setprioceiling", "pthread_mutexattr_setprotocol",
            "pthread_mutexattr_setpshared", "pthread_mutexattr_setrobust",
            "pthread_mutexattr_setrobust_np", "pthread_mutexattr_settype",
            "pthread_rwlockattr_destroy", "pthread_rwlockattr_getkind_np",
            "pthread_rwlockattr_getpshared", "pthread_rwlockattr_init",
            "pthread_rwlockattr_setkind_np", "pthread_rwlockattr_setpshared",
        ],
    ),
    (
        "only uses the calling thread's descriptor, which each fiber has",
        &[
            "__pthread_cleanup_routine", "__pthread_getspecific",
            "__pthread_setspecific", "pthread_equal", "pthread_getattr_np",
            "pthread_getspecific", "pthread_self", 
            "pthread_setspecific", 
            "thrd_current", "thrd_equal",
        ],
    ),
    (
        "matters only to fork, which is unsupported",
        &["__register_atfork", "pthread_atfork"],
    ),
    (
        "its system calls are modelled or refused, and libc/ makes it an event where it must be one",
        &["popen", "timer_create"],
    ),
];

/// Reported by name when called under exploration.
#[rustfmt::skip] // A table: many names to a line.
pub const UNSUPPORTED: &[&str] = &[
    "_Fork", "__clone", "__fork", "__vfork", "aio_cancel", "aio_cancel64", "aio_error",
    "aio_error64", "aio_init", "aio_return", "aio_return64", "aio_suspend",
    "aio_suspend64", "clone", "daemon", "execl", "execle", "execlp", "execv", "execve",
    "execveat", "execvp", "execvpe", "fexecve", "fork", "forkpty", "posix_spawn",
    "posix_spawnp", "pthread_kill_other_threads_np", "system", "vfork", "wordexp",
];

/// Unsupported, and the reason for an exploration to begin: libc would create a thread unseen.
#[rustfmt::skip] // A table: many names to a line.
pub const CREATES_THREADS: &[&str] = &[
    "aio_fsync", "aio_fsync64", "aio_read", "aio_read64", "aio_write", "aio_write64",
    "getaddrinfo_a", "lio_listio", "lio_listio64",
];

/// Unsupported; creates a thread unseen if its second argument asks for `SIGEV_THREAD`.
pub const MAY_CREATE_THREADS: &[&str] = &["mq_notify"];

/// Beginnings of the names that must be in one of the groups.
#[rustfmt::skip] // A table: many names to a line.
const PREFIXES: &[&str] = &[
    "pthread_", "__pthread_", "_pthread_", "sem_", "mtx_", "cnd_", "thrd_", "tss_", "exec",
    "posix_spawn", "aio_", "lio_",
];

/// Other names that must be.
#[rustfmt::skip] // A table: many names to a line.
const NAMES: &[&str] = &[
    "_Fork", "__assert", "__assert_fail", "__assert_perror_fail", "__clone",
    "__cxa_thread_atexit_impl", "__fork", "__register_atfork", "__sched_yield", "__vfork", "abort",
    "call_once", "clone", "daemon", "fexecve", "flockfile", "fork", "forkpty", "ftrylockfile",
    "funlockfile", "getaddrinfo_a", "mq_notify", "popen", "sched_yield", "system", 
    "vfork", "wordexp",
];

/// Whether a public symbol of libc must be in one of the groups.
pub fn belongs(name: &str) -> bool {
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a name is in one of the groups.
pub fn is_known(name: &str) -> bool {
    let groups = [MODELLED, UNSUPPORTED, CREATES_THREADS, MAY_CREATE_THREADS];
    groups.iter().any(|group| group.contains(&name))
        || PASSED_THROUGH
            .iter()
            .any(|(_, group)| group.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_in_two_groups() {
        let mut names: Vec<&str> = [MODELLED, UNSUPPORTED, CREATES_THREADS, MAY_CREATE_THREADS]
            .iter()
            .chain(PASSED_THROUGH.iter().map(|(_, group)| group))
            .flat_map(|group| group.iter().copied())
            .collect();
        names.sort_unstable();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before);
    }
}
