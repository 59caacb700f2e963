//! `pipe`, `socketpair` and `eventfd`, as the program finds them.
//!
//! Before the root they are libc's, and what they made is noted: [`super::at_root`] takes it over.

use super::open;
use crate::engine;
use crate::state::{Kept, Plain};
use core::ffi::c_int;

crate::hooks::clean_entry::clean_entries! {
    pipe, pipe2, socketpair, eventfd
}

/// A channel that a call made before the root, with the descriptors of its ends.
#[derive(Clone, Copy)]
pub enum Made {
    /// A pipe: the descriptors for reading and for writing.
    Pipe(c_int, c_int),
    /// A pair of sockets: their type, without flags, and their descriptors.
    Pair(c_int, c_int, c_int),
    /// An event counter: its descriptor, and whether it counts as a semaphore does.
    Counter(c_int, bool),
}

/// A channel that was made, and the inode numbers of its ends.
type WithInodes = (Made, [u64; 2]);

/// All that was made. Used before the root and at it, while the process has one thread.
static ALL: Kept<Plain<Vec<WithInodes>>> = Kept::new(Plain::new(Vec::new()));

/// Returns all that was made before the root, with the inode numbers of the ends.
pub fn all() -> &'static [WithInodes] {
    // SAFETY: one thread, and nothing is added any more.
    unsafe { &*ALL.get() }
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
    unsafe { (*ALL.get()).push((made, inodes)) };
}

fn returned(result: isize) -> c_int {
    if result >= 0 {
        return result as c_int;
    }
    // SAFETY: libc's `errno` is a variable of the running thread's own.
    unsafe { *::libc::__errno_location() = -result as c_int };
    -1
}

/// `pipe`: makes a pipe, noted if this is before the root.
///
/// # Safety
/// `to` is writable for two descriptors.
pub unsafe extern "C" fn pipe(to: *mut c_int) -> c_int {
    // SAFETY: `to` is writable for two descriptors, as this function's caller guarantees.
    unsafe { pipe2(to, 0) }
}

/// `pipe2`: makes a pipe, noted if this is before the root.
///
/// # Safety
/// `to` is writable for two descriptors.
pub unsafe extern "C" fn pipe2(to: *mut c_int, flags: c_int) -> c_int {
    if engine::active() {
        open::on_table();
        // SAFETY: `to` is writable for two descriptors, as this function's caller guarantees.
        return returned(unsafe { open::pipe(to as usize, flags) });
    }
    let pipe2 = real!(pipe2: fn(*mut c_int, c_int) -> c_int);
    // SAFETY: `to` is writable for two descriptors, which libc's function wrote if it succeeded.
    unsafe {
        let result = pipe2(to, flags);
        if result == 0 {
            note(Made::Pipe(*to, *to.add(1)));
        }
        result
    }
}

/// `socketpair`: makes two connected sockets, noted if this is before the root.
///
/// # Safety
/// `to` is writable for two descriptors.
pub unsafe extern "C" fn socketpair(
    family: c_int,
    kind: c_int,
    protocol: c_int,
    to: *mut c_int,
) -> c_int {
    if engine::active() {
        open::on_table();
        // SAFETY: `to` is writable for two descriptors, as this function's caller guarantees.
        return returned(unsafe { open::socket_pair(family, kind, to as usize) });
    }
    let socketpair = real!(socketpair: fn(c_int, c_int, c_int, *mut c_int) -> c_int);
    // SAFETY: `to` is writable for two descriptors, which libc's function wrote if it succeeded.
    unsafe {
        let result = socketpair(family, kind, protocol, to);
        if result == 0 && family == ::libc::AF_UNIX {
            let kind = kind & !(::libc::SOCK_NONBLOCK | ::libc::SOCK_CLOEXEC);
            note(Made::Pair(kind, *to, *to.add(1)));
        }
        result
    }
}

/// `eventfd`: makes an event counter, noted if this is before the root.
///
/// # Safety
/// The arguments are numbers, so nothing is asked of the caller.
pub unsafe extern "C" fn eventfd(initial: u32, flags: c_int) -> c_int {
    if engine::active() {
        open::on_table();
        return returned(open::counter(initial, flags));
    }
    let eventfd = real!(eventfd: fn(u32, c_int) -> c_int);
    // SAFETY: libc's function takes numbers only.
    let result = unsafe { eventfd(initial, flags) };
    if result >= 0 {
        note(Made::Counter(result, flags & ::libc::EFD_SEMAPHORE != 0));
    }
    result
}
