//! `pipe`, `socketpair` and `eventfd`, as the program finds them.
//!
//! Before the root they are libc's, and what they made is noted: [`super::at_root`] takes it over.

use super::open;
use crate::engine;
use core::cell::UnsafeCell;
use core::ffi::c_int;

/// What was made before the root.
#[derive(Clone, Copy)]
pub enum Made {
    /// Ends for reading and writing.
    Pipe(c_int, c_int),
    /// Type, without flags; the ends.
    Pair(c_int, c_int, c_int),
    /// Descriptor, and whether it is a semaphore.
    Counter(c_int, bool),
}

struct All(UnsafeCell<Vec<(Made, [u64; 2])>>);

// SAFETY: used before the root and at it, while the process has one thread.
unsafe impl Sync for All {}

static ALL: All = All(UnsafeCell::new(Vec::new()));

/// All that was made, with the inode numbers of the ends.
pub fn all() -> &'static [(Made, [u64; 2])] {
    // SAFETY: one thread, and nothing is added any more.
    unsafe { &*ALL.0.get() }
}

fn note(made: Made) {
    if !engine::before_root() {
        return;
    }
    let inode = |fd| crate::libc::descriptor::stat(fd).map_or(0, |stat| stat.st_ino);
    let inodes = match made {
        Made::Pipe(a, b) | Made::Pair(_, a, b) => [inode(a), inode(b)],
        Made::Counter(fd, _) => [inode(fd), 0],
    };
    // SAFETY: one thread, and no reference outlives this call.
    unsafe { (*ALL.0.get()).push((made, inodes)) };
}

fn returned(result: isize) -> c_int {
    if result >= 0 {
        return result as c_int;
    }
    // SAFETY: the running thread's.
    unsafe { *::libc::__errno_location() = -result as c_int };
    -1
}

/// # Safety
/// As POSIX has it.
#[no_mangle]
pub unsafe extern "C" fn pipe(to: *mut c_int) -> c_int {
    // SAFETY: the caller's.
    unsafe { pipe2(to, 0) }
}

/// # Safety
/// As pipe2(2).
#[no_mangle]
pub unsafe extern "C" fn pipe2(to: *mut c_int, flags: c_int) -> c_int {
    if engine::active() {
        open::on_table();
        // SAFETY: the caller's.
        return returned(unsafe { open::pipe(to as usize, flags) });
    }
    let pipe2 = real!(pipe2: fn(*mut c_int, c_int) -> c_int);
    // SAFETY: the caller's.
    unsafe {
        let result = pipe2(to, flags);
        if result == 0 {
            note(Made::Pipe(*to, *to.add(1)));
        }
        result
    }
}

/// # Safety
/// As POSIX has it.
#[no_mangle]
pub unsafe extern "C" fn socketpair(
    family: c_int,
    kind: c_int,
    protocol: c_int,
    to: *mut c_int,
) -> c_int {
    if engine::active() {
        open::on_table();
        // SAFETY: the caller's.
        return returned(unsafe { open::socket_pair(family, kind, to as usize) });
    }
    let socketpair = real!(socketpair: fn(c_int, c_int, c_int, *mut c_int) -> c_int);
    // SAFETY: the caller's.
    unsafe {
        let result = socketpair(family, kind, protocol, to);
        if result == 0 && family == ::libc::AF_UNIX {
            let kind = kind & !(::libc::SOCK_NONBLOCK | ::libc::SOCK_CLOEXEC);
            note(Made::Pair(kind, *to, *to.add(1)));
        }
        result
    }
}

/// # Safety
/// As eventfd(2).
#[no_mangle]
pub unsafe extern "C" fn eventfd(initial: u32, flags: c_int) -> c_int {
    if engine::active() {
        open::on_table();
        return returned(open::counter(initial, flags));
    }
    let eventfd = real!(eventfd: fn(u32, c_int) -> c_int);
    // SAFETY: the caller's.
    let result = unsafe { eventfd(initial, flags) };
    if result >= 0 {
        note(Made::Counter(result, flags & ::libc::EFD_SEMAPHORE != 0));
    }
    result
}
