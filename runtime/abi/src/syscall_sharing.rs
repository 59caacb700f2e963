//! Which system calls use state that threads share.
//!
//! Asked about calls that come from nowhere in the table of libc's functions ([`crate::libc_call`]):
//! a call with shared state is then an event that conflicts with everything. What a call is follows
//! from its number and arguments alone, never from what a descriptor happens to be: that may be the
//! work of events of other threads.
//!
//! A call that is not in the list is shared. The runtime refuses most of those anyway.

use crate::syscall_name;

/// When a system call uses state that threads share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// Never: its answer depends on the thread's own past, or on what does not change.
    Own,
    /// Always: its answer depends on what other threads did.
    Shared,
    /// If this argument is a descriptor, and not `AT_FDCWD`.
    UnlessHere(u8),
    /// If it maps a file: argument 3 has no `MAP_ANONYMOUS`.
    IfFile,
    /// Unless it only wakes: argument 1 is `FUTEX_WAKE` or `FUTEX_WAKE_BITSET`.
    UnlessWake,
    /// Unless the signal, this argument, is SIGABRT: that ends the process, an event of its own.
    UnlessAbort(u8),
}

macro_rules! sharing {
    ([Own]) => {
        Sharing::Own
    };
    ([Shared]) => {
        Sharing::Shared
    };
    ([IfFile]) => {
        Sharing::IfFile
    };
    ([UnlessWake]) => {
        Sharing::UnlessWake
    };
    ([UnlessHere($k:literal)]) => {
        Sharing::UnlessHere($k)
    };
    ([UnlessAbort($k:literal)]) => {
        Sharing::UnlessAbort($k)
    };
}

macro_rules! table {
    ($($sharing:tt $note:literal : $($name:ident)*;)*) => {
        /// Names, sharing, and which state or why none.
        pub const LISTED: &[(&str, Sharing, &str)] = &[$($(
            (stringify!($name), sharing!($sharing), $note),
        )*)*];
    };
}

// The whole decision. Groups of `[sharing] "which state, or why none": names;`.
table! {
    [Own] "virtual time, a function of the thread's own past": clock_gettime gettimeofday time
        times clock_getres nanosleep clock_nanosleep getrusage;
    [Own] "sleeps; with descriptors each of these has an event of its own": poll ppoll select
        pselect6;
    [Own] "an event of its own that conflicts with everything": epoll_ctl epoll_wait epoll_pwait
        epoll_pwait2;
    [Own] "an event of its own, on the lock of the file": flock;
    [Own] "random numbers are made up by thread": getrandom;
    [Own] "the thread itself": rt_sigprocmask sigaltstack rt_sigpending arch_prctl prctl
        set_robust_list rseq set_tid_address gettid;
    [Own] "hints without effect here": sched_yield sched_setaffinity membarrier mlock mlock2 munlock
        mlockall munlockall sync syncfs;
    [Own] "nobody can change it: what would is refused": getpid getppid getuid geteuid getgid
        getegid getpgrp getpgid getsid getpriority sched_getscheduler sched_getparam
        sched_get_priority_max sched_get_priority_min sched_getaffinity getcpu uname getrlimit
        prlimit64 getgroups getresuid getresgid sysinfo;
    [Own] "the file system, which is only read, by path": stat lstat access readlink getcwd;
    [UnlessHere(0)] "the file system by path, or the table of descriptors": newfstatat statx
        readlinkat faccessat faccessat2;
    [Own] "addresses are the thread's own; contents are memory: taking, replacing or protecting private memory is a write of it": munmap
        mprotect mremap msync madvise brk mincore;
    [IfFile] "the table of descriptors, if a file is mapped": mmap;
    [UnlessWake] "for locks of libc's own, whose wake finds nobody; the program's calls are modelled": futex;
    [Own] "the end of the thread, which runs no handlers and no destructors": exit;
    [Own] "the end of the process, an event of its own": exit_group;
    [Shared] "an open file and its offset, by the table of descriptors": read readv pread64 preadv
        write writev lseek getdents64 fstat ioctl fsync fdatasync fadvise64;
    [Shared] "the table of descriptors": open openat close dup dup2 dup3 fcntl;
    [Shared] "signal actions": rt_sigaction;
    [UnlessAbort(1)] "signal actions": kill tkill;
    [UnlessAbort(2)] "signal actions": tgkill;
}

/// By number.
const BY_NUMBER: [Sharing; NUMBERS] = by_number();
const NUMBERS: usize = 512;

const fn by_number() -> [Sharing; NUMBERS] {
    let mut all = [Sharing::Shared; NUMBERS];
    let mut number = 0;
    while number < NUMBERS {
        if let Some(name) = syscall_name::of(number as i64) {
            let mut k = 0;
            while k < LISTED.len() {
                if is_same(name.as_bytes(), LISTED[k].0.as_bytes()) {
                    all[number] = LISTED[k].1;
                }
                k += 1;
            }
        }
        number += 1;
    }
    all
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut k = 0;
    while k < a.len() && k < b.len() && a[k] == b[k] {
        k += 1;
    }
    k == a.len() && k == b.len()
}

/// `<fcntl.h>`, `<sys/mman.h>` and `<signal.h>` of Linux on x86-64.
const AT_FDCWD: i32 = -100;
const MAP_ANONYMOUS: usize = 0x20;
const SIGABRT: i32 = 6;

/// The commands of `futex` that only wake, `FUTEX_WAKE` and `FUTEX_WAKE_BITSET` of `<linux/futex.h>`.
const FUTEX_WAKES: [usize; 2] = [1, 10];
const FUTEX_COMMAND: usize = 0x7f;

/// Whether the system call `number` with these arguments uses state that threads share.
pub fn is_shared(number: i64, arguments: &[usize; 6]) -> bool {
    let sharing = usize::try_from(number)
        .ok()
        .and_then(|number| BY_NUMBER.get(number));
    let argument = |k: u8| arguments[usize::from(k)];
    match *sharing.unwrap_or(&Sharing::Shared) {
        Sharing::Own => false,
        Sharing::Shared => true,
        Sharing::UnlessHere(k) => argument(k) as i32 != AT_FDCWD,
        Sharing::IfFile => argument(3) & MAP_ANONYMOUS == 0,
        Sharing::UnlessWake => !FUTEX_WAKES.contains(&(argument(1) & FUTEX_COMMAND)),
        Sharing::UnlessAbort(k) => argument(k) as i32 != SIGABRT,
    }
}

/// Whether the system call tells what is at a path, or may be on memory that a file is mapped to. In a
/// program that changes files these share the file system.
pub fn reads_files(number: i64) -> bool {
    syscall_name::of(number).is_some_and(|name| {
        matches!(
            name,
            "stat"
                | "lstat"
                | "access"
                | "readlink"
                | "newfstatat"
                | "statx"
                | "readlinkat"
                | "faccessat"
                | "faccessat2"
                | "getcwd"
                | "munmap"
                | "mprotect"
                | "mremap"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(name: &str) -> i64 {
        (0..NUMBERS as i64)
            .find(|&number| syscall_name::of(number) == Some(name))
            .unwrap_or_else(|| panic!("no system call {name}"))
    }

    #[test]
    fn every_name_is_a_call_and_there_once() {
        let mut names: Vec<_> = LISTED.iter().map(|listed| listed.0).collect();
        names.iter().for_each(|name| assert!(number(name) >= 0));
        names.sort_unstable();
        names
            .windows(2)
            .for_each(|pair| assert_ne!(pair[0], pair[1]));
    }

    #[test]
    fn by_number_and_arguments() {
        let none = [0; 6];
        let here = AT_FDCWD as usize;
        assert!(is_shared(number("read"), &none));
        assert!(is_shared(number("rt_sigaction"), &none));
        assert!(!is_shared(number("clock_gettime"), &none));
        assert!(!is_shared(number("getpid"), &none));
        assert!(is_shared(number("newfstatat"), &[3, 0, 0, 0, 0, 0]));
        assert!(!is_shared(number("newfstatat"), &[here, 0, 0, 0, 0, 0]));
        assert!(is_shared(number("mmap"), &[0, 0, 0, 2, 3, 0]));
        assert!(!is_shared(number("mmap"), &[0, 0, 0, 0x22, 3, 0]));
        assert!(is_shared(number("futex"), &[0, 0x80, 0, 0, 0, 0]));
        assert!(!is_shared(number("futex"), &[0, 0x81, 0, 0, 0, 0]));
        assert!(is_shared(number("kill"), &[1, 10, 0, 0, 0, 0]));
        assert!(!is_shared(number("kill"), &[1, 6, 0, 0, 0, 0]));
    }

    #[test]
    fn what_is_not_listed_is_shared() {
        for name in ["memfd_create", "pipe2", "sendto"] {
            assert!(is_shared(number(name), &[0; 6]), "{name}");
        }
        assert!(is_shared(-1, &[0; 6]));
        assert!(is_shared(9999, &[0; 6]));
    }
}
