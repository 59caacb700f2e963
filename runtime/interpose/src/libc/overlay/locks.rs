//! Locks that belong to an open file (`flock`), by which the threads of a process exclude each other as
//! others do.
//!
//! The lock of a file is a channel for the search, which has two levels: whether it can be had shared, and
//! whether it can be had exclusively. A call looks first, in an event that does not wait; if another open
//! file has the lock, it waits, in a second one. Closing the last descriptor of an open file gives its lock
//! back, in an event on the lock as well, as soon as a program is known to lock files.
//!
//! Source: flock(2). Deviation: only files that are the overlay's: opened for writing by somebody.

use super::lock_levels::is_free;
use crate::engine::{self, object};
use crate::libc::channel::enter::look_up;
use crate::libc::channel::{self, thresholds, Terms, Waited, LOCKS, NEVER};
use crate::libc::descriptor::{self, Lock};
use crate::libc::opaque;

const fn error(errno: i32) -> isize {
    -(errno as isize)
}

fn release(number: usize) {
    if let Some((mut races, thread)) = engine::races() {
        races.release(thread, object::channel(LOCKS + number).0);
    }
}

fn acquire(number: usize) {
    if let Some((mut races, thread)) = engine::races() {
        races.acquire(thread, object::channel(LOCKS + number).0);
    }
}

/// Gives the open file of a descriptor this lock.
fn lock(fd: i32, lock: Lock) {
    descriptor::change_file(fd as usize, |file| file.lock = lock);
}

/// `flock`, on the thread's own stack.
pub fn flock(fd: i32, operation: i32) -> isize {
    let wanted = match operation & !::libc::LOCK_NB {
        ::libc::LOCK_SH => Lock::Shared,
        ::libc::LOCK_EX => Lock::Exclusive,
        ::libc::LOCK_UN => Lock::None,
        _ => return error(::libc::EINVAL),
    };
    let Some((number, known)) = find(fd) else {
        return error(::libc::EBADF);
    };
    opaque::files_are_locked();
    let mut waited = Waited::Ready;
    channel::wait(LOCKS + number, 0);
    loop {
        if !descriptor::is_still(fd, known) {
            engine::unsupported("closing a descriptor while another thread locks its file");
        }
        let Some(file) = descriptor::file(fd as usize) else {
            return error(::libc::EBADF);
        };
        if waited == Waited::Interrupted {
            return error(::libc::EINTR);
        }
        if file.lock == wanted {
            return 0;
        }
        // Linux gives the old lock back before it looks for the new one, also if it does not get that.
        if file.lock != Lock::None {
            release(number);
            lock(fd, Lock::None);
        }
        if is_free(number, wanted) {
            if wanted != Lock::None {
                acquire(number);
            }
            lock(fd, wanted);
            return 0;
        }
        if operation & ::libc::LOCK_NB != 0 {
            return error(::libc::EWOULDBLOCK);
        }
        if engine::is_inside_event() {
            channel::would_hang();
        }
        let until = match wanted {
            Lock::Exclusive => thresholds(0, NEVER, 1),
            _ => thresholds(0, 1, NEVER),
        };
        waited = channel::wait_within(LOCKS + number, until, Terms::BEGIN);
    }
}

/// Returns the file of a descriptor, after an event on the table if the thread does not know it.
fn find(fd: i32) -> Option<(usize, descriptor::Opening)> {
    let known = look_up(fd)?;
    let Some(number) = known.inode() else {
        engine::unsupported("flock of a file that nobody opened for writing");
    };
    Some((number, known))
}

/// Gives back a lock that goes with a descriptor, which is about to be closed, after the event on
/// its file.
pub fn before_close(fd: i32) {
    let inode = descriptor::known(fd).and_then(descriptor::Opening::inode);
    let (Some(number), true) = (inode, opaque::are_files_locked()) else {
        return;
    };
    channel::wait(LOCKS + number, 0);
    if let Some(file) = descriptor::file_of_last(fd) {
        if file.lock != Lock::None {
            release(number);
            lock(fd, Lock::None);
        }
        if let Some(owner) = descriptor::file_number(fd) {
            super::ranges::before_close(owner, number);
        }
    }
}
