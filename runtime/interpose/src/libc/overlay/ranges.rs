//! Locks of ranges of bytes that belong to an open file (`fcntl` with `F_OFD_SETLK`, `F_OFD_SETLKW` and
//! `F_OFD_GETLK`), by which the threads of a process exclude each other as others do.
//!
//! A call is an event on the lock of the file, the one of `flock`, though the two locks do not exclude each
//! other. A thread that has to wait leaves its bit with the file, in the event with which it looked, and waits
//! for its bell ([`crate::libc::channel`]); who gives back a part of a lock rings for all of them, and they look
//! again.
//!
//! What was done under a lock happens before what is done under a later one that it would have excluded.
//!
//! Source: fcntl(2), "Open file description locks"; `posix_lock_inode`, `posix_test_lock` and
//! `fcntl_getlk` of Linux 6.1. Deviation: only files that are the overlay's, as for `flock`.

use super::lock_owners::{mixes, Owner, MIXED};
use super::locked_ranges::{held, state, Range, RANGES, UNLOCKED};
use super::state::{inode, INODES};
use crate::engine::{self, object};
use crate::libc::channel::enter::look_up;
use crate::libc::channel::{self, Change, Terms, Waited, LOCKS};
use crate::libc::descriptor::{self, File, Opening};
use crate::libc::opaque;
use crate::libc::syscalls::touch;
use crate::thread_mask::ThreadMask;
use dpor_machine::sys;

const fn error(errno: i32) -> isize {
    -(errno as isize)
}

/// Returns whether a call of `fcntl` is about these locks.
pub fn is_here(command: usize) -> bool {
    matches!(
        command as i32,
        ::libc::F_OFD_SETLK | ::libc::F_OFD_SETLKW | ::libc::F_OFD_GETLK
    )
}

/// Returns whether a program's `struct flock` counts from the first byte of the file, and not from
/// its end or from where the descriptor stands.
pub fn is_from_start(place: usize) -> bool {
    let whence = sys::read_word(place).map(|word| (word >> 16) as u16);
    whence == Some(::libc::SEEK_SET as u16)
}

/// Returns the first lock of another open file that excludes this one.
fn conflict(wanted: &Range) -> Option<Range> {
    state().look(|state| {
        let mut others = state
            .held()
            .iter()
            .filter(|held| held.owner != wanted.owner);
        others.find(|held| held.excludes(wanted)).copied()
    })
}

fn insert(at: usize, range: Range) {
    let count = state().look(|state| usize::from(state.count));
    if count == RANGES {
        engine::unsupported("more than 64 ranges of files locked at once");
    }
    state().change(|state| {
        state.ranges.copy_within(at..count, at + 1);
        state.ranges[at] = range;
        state.count += 1;
    });
}

fn remove(at: usize) {
    state().change(|state| {
        let count = usize::from(state.count);
        state.ranges.copy_within(at + 1..count, at);
        state.count -= 1;
    });
}

/// Takes a range away from what its owner has locked of the file. Whether that changes anything for others.
fn take_away(range: &Range) -> bool {
    let mut changed = false;
    let mut at = 0;
    while let Some(own) = held(at) {
        if own.owner != range.owner || !own.overlaps(range) {
            at += 1;
            continue;
        }
        changed = true;
        release(&own);
        remove(at);
        if own.last > range.last {
            insert(
                at,
                Range {
                    first: range.last + 1,
                    ..own
                },
            );
        }
        if own.first < range.first {
            insert(
                at,
                Range {
                    last: range.first - 1,
                    ..own
                },
            );
            at += 1;
        }
        at += usize::from(own.last > range.last);
    }
    changed
}

/// Adds a range, of which its owner has locked nothing, and joins it with its neighbours of the same sort.
/// `place`: where the owner's ranges begin, or began.
fn add(mut range: Range, place: Option<usize>) {
    acquire(&range);
    let mut at = 0;
    while let Some(own) = held(at) {
        let is_like =
            (own.owner, own.inode, own.exclusive) == (range.owner, range.inode, range.exclusive);
        let touches = own.last.checked_add(1) == Some(range.first)
            || range.last.checked_add(1) == Some(own.first);
        if is_like && touches {
            range.first = range.first.min(own.first);
            range.last = range.last.max(own.last);
            remove(at);
        } else {
            at += 1;
        }
    }
    let is_before = |held: &Range| held.owner == range.owner && held.first < range.first;
    let at = state().look(|state| match state.held().iter().rposition(is_before) {
        Some(before) => before + 1,
        None => place.unwrap_or(state.held().len()),
    });
    insert(at, range);
}

/// Returns the object by which the race detector knows the unlocking of a range.
fn unlocked_object(number: usize) -> u64 {
    object::channel(LOCKS + INODES + number).0
}

/// Publishes the running thread's clock for those who take a lock later that this one excludes.
fn release(range: &Range) {
    let is_it = |known: &Range| {
        let sort = (known.inode, known.exclusive) == (range.inode, range.exclusive);
        sort && (known.first, known.last) == (range.first, range.last)
    };
    let (known, count) = state().look(|state| {
        let count = usize::from(state.unlocked_count);
        (state.unlocked[..count].iter().position(is_it), count)
    });
    let number = match known {
        Some(number) => number,
        None if count == UNLOCKED => {
            engine::unsupported("more than 256 different ranges of files unlocked")
        }
        None => {
            state().change(|state| {
                state.unlocked[count] = Range { owner: 0, ..*range };
                state.unlocked_count += 1;
            });
            count
        }
    };
    if let Some((mut races, thread)) = engine::races() {
        races.release(thread, unlocked_object(number));
    }
}

/// Orders the running thread after those who held a lock that this one excludes.
fn acquire(range: &Range) {
    for number in 0..state().look(|state| usize::from(state.unlocked_count)) {
        if state().look(|state| state.unlocked[number].excludes(range)) {
            if let Some((mut races, thread)) = engine::races() {
                races.acquire(thread, unlocked_object(number));
            }
        }
    }
}

/// Bytes from the first to the last one that a call is about.
///
/// # Errors
/// `EINVAL`, `EOVERFLOW`.
fn bytes_of(lock: &::libc::flock, file: &File) -> Result<(i64, i64), i32> {
    let from = match i32::from(lock.l_whence) {
        ::libc::SEEK_SET => 0,
        ::libc::SEEK_CUR => file.offset,
        ::libc::SEEK_END => inode(file.kernel as usize).size as i64,
        _ => return Err(::libc::EINVAL),
    };
    let start = from.checked_add(lock.l_start).ok_or(::libc::EOVERFLOW)?;
    let (first, last) = match lock.l_len {
        0 => (start, i64::MAX),
        length @ 1.. => {
            let last = start.checked_add(length - 1).ok_or(::libc::EOVERFLOW);
            (start, last?)
        }
        // A negative length: the bytes before.
        length => (start.checked_add(length).ok_or(::libc::EINVAL)?, start - 1),
    };
    match first < 0 {
        true => Err(::libc::EINVAL),
        false => Ok((first, last)),
    }
}

/// Returns the opening behind the descriptor, the range that is asked for, and whether it is to be unlocked; or an
/// error number.
///
/// # Safety
/// `lock` points to the program's `struct flock`.
unsafe fn wanted(
    fd: i32,
    command: i32,
    lock: *const ::libc::flock,
) -> Result<(Opening, Range, bool), i32> {
    let Some(known) = look_up(fd) else {
        return Err(::libc::EBADF);
    };
    let Some(number) = known.inode() else {
        engine::unsupported("a lock (F_OFD_SETLK) of a file that nobody opened for writing");
    };
    let Some(file) = descriptor::file(fd as usize) else {
        return Err(::libc::EBADF);
    };
    // SAFETY: as this function's caller guarantees; the program's threads stand still.
    let asked = unsafe { lock.read() };
    if asked.l_pid != 0 {
        return Err(::libc::EINVAL);
    }
    let kind = i32::from(asked.l_type);
    let bytes = bytes_of(&asked, &file)?;
    let access = file.flags as i32 & ::libc::O_ACCMODE;
    let looks = command == ::libc::F_OFD_GETLK;
    match kind {
        ::libc::F_RDLCK if !looks && access == ::libc::O_WRONLY => return Err(::libc::EBADF),
        ::libc::F_WRLCK if !looks && access == ::libc::O_RDONLY => return Err(::libc::EBADF),
        ::libc::F_RDLCK | ::libc::F_WRLCK => {}
        ::libc::F_UNLCK if looks => engine::unsupported("F_OFD_GETLK with F_UNLCK"),
        ::libc::F_UNLCK => {}
        _ => return Err(::libc::EINVAL),
    }
    let Some(owner) = descriptor::file_number(fd) else {
        return Err(::libc::EBADF);
    };
    opaque::files_are_locked();
    if mixes(Owner::OpenFile) {
        engine::unsupported(MIXED);
    }
    let wanted = Range {
        owner,
        inode: number as u16,
        exclusive: kind == ::libc::F_WRLCK,
        first: bytes.0,
        last: bytes.1,
    };
    Ok((known, wanted, kind == ::libc::F_UNLCK))
}

/// `fcntl` with one of the commands, on the thread's own stack.
///
/// # Safety
/// `place` is the address of the program's `struct flock`.
pub unsafe fn control(fd: i32, command: i32, place: usize) -> isize {
    let lock = place as *mut ::libc::flock;
    // SAFETY: `lock` points to the program's `struct flock`, as this function's caller guarantees.
    let (known, wanted, releases) = match unsafe { wanted(fd, command, lock) } {
        Ok(found) => found,
        Err(errno) => return error(errno),
    };
    let number = usize::from(wanted.inode);
    let looks = command == ::libc::F_OFD_GETLK;
    let me = engine::thread();
    loop {
        channel::wait(LOCKS + number, 0);
        if !descriptor::is_still(fd, known) {
            engine::unsupported("closing a descriptor while another thread locks its file");
        }
        let found = if releases { None } else { conflict(&wanted) };
        if looks {
            // SAFETY: `lock` points to the program's `struct flock`, as this function's caller
            // guarantees.
            unsafe { tell(lock, found) };
            return 0;
        }
        if found.is_none() {
            let is_own = |held: &Range| held.owner == wanted.owner;
            let place = state().look(|state| state.held().iter().position(is_own));
            let changed = take_away(&wanted);
            if !releases {
                add(wanted, place);
            }
            if changed {
                ring(number);
            }
            return 0;
        }
        if command == ::libc::F_OFD_SETLK {
            return error(::libc::EAGAIN);
        }
        if engine::is_inside_event() {
            channel::would_hang();
        }
        state().change(|state| state.waiters[number].insert(me));
        if channel::wait_for_bell_in(Terms::BEGIN) == Waited::Interrupted {
            return error(::libc::EINTR);
        }
    }
}

/// `F_OFD_GETLK`: what would be in the way.
///
/// # Safety
/// `lock` is writable for a `struct flock` of the program's.
unsafe fn tell(lock: *mut ::libc::flock, found: Option<Range>) {
    touch(lock as usize, size_of::<::libc::flock>());
    let Some(range) = found else {
        // SAFETY: `lock` points to the program's `struct flock`, as this function's caller
        // guarantees.
        unsafe { (*lock).l_type = ::libc::F_UNLCK as i16 };
        return;
    };
    let kind = match range.exclusive {
        true => ::libc::F_WRLCK,
        false => ::libc::F_RDLCK,
    };
    let length = match range.last {
        i64::MAX => 0,
        last => last - range.first + 1,
    };
    // SAFETY: `lock` points to the program's `struct flock`, as this function's caller guarantees.
    unsafe {
        (*lock).l_type = kind as i16;
        (*lock).l_whence = ::libc::SEEK_SET as i16;
        (*lock).l_start = range.first;
        (*lock).l_len = length;
        (*lock).l_pid = -1;
    }
}

/// Wakes who waits for the lock of a file.
fn ring(number: usize) {
    let waiters =
        state().change(|state| core::mem::replace(&mut state.waiters[number], ThreadMask::EMPTY));
    Change::of(waiters).tell();
}

/// Gives back what an open file has locked that is about to be closed, in the event on the lock of
/// its file, `number`.
pub fn before_close(owner: u32, number: usize) {
    let all = Range {
        owner,
        inode: number as u16,
        exclusive: true,
        first: 0,
        last: i64::MAX,
    };
    if take_away(&all) {
        ring(number);
    }
}
