//! The mark by which initialized mutexes are told from zeros.
//!
//! In glibc the initializer of a normal mutex is all zeros. What dpor-cc compiles includes a
//! `<pthread.h>` of ours first (`include/dpor/pthread.h`), whose `PTHREAD_MUTEX_INITIALIZER` has a mark
//! in a field that glibc uses for adaptive mutexes only. It also leaves a variable in a section of its
//! own, by which the pass knows such a module. Under `--strict` the runtime writes the mark in
//! `pthread_mutex_init`, so that a mutex of zeros is one that nobody initialized, or somebody who does
//! not know of marks.

/// Section of the variable that the header defines.
pub const SECTION: &str = ".dpor.marked";

/// The mark, which takes two bytes of a `pthread_mutex_t`.
pub const MARK: u16 = 0x6470;

/// Offset of the mark in a `pthread_mutex_t`, in bytes: `__spins` in glibc for x86-64.
pub const MARK_OFFSET: usize = 20;

/// Size of a `pthread_mutex_t`, in bytes.
pub const MUTEX_BYTES: u64 = 40;

/// Functions by which a module shows that it knows of mutexes begin so.
pub const PREFIX: &str = "pthread_mutex_";

/// Functions that lock a mutex or wait with one. The runtime tells calls of the program from others by
/// where they return to.
pub const USERS: [&str; 12] = [
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "mtx_lock",
    "mtx_trylock",
    "mtx_timedlock",
    "cnd_wait",
    "cnd_timedwait",
];

/// Bits of [`crate::ModuleInfo::initializers`].
pub mod flag {
    /// The module's initializers have the mark.
    pub const MARKED: u32 = 1;
    /// The module calls functions on mutexes, and its initializers have no mark.
    pub const UNMARKED: u32 = 2;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_the_same_numbers() {
        let header = include_str!("../include/dpor/pthread.h");
        assert!(header.contains(&format!("__section__(\"{SECTION}\")")));
        assert!(header.contains(&format!("PTHREAD_MUTEX_TIMED_NP, {MARK:#x}, 0, {{ 0, 0 }}")));
    }
}
