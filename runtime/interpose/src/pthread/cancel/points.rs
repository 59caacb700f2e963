//! Where a thread looks whether it was asked to end: cancellation points, or anywhere if it allows that.

use super::outcome::Outcome;
use crate::engine::runtime::CALL_SITE;
use crate::engine::{self, learned_events, object};
use crate::pthread::{happens_before, me, signal, unwinder};
use core::ffi::c_void;
use dpor_model::{Kind, Operation, SiteId};

/// Returns whether the running thread can be cancelled at a cancellation point.
pub fn is_possible() -> bool {
    if !engine::active() || !learned_events::is_cancelled(engine::thread()) {
        return false;
    }
    // SAFETY: the entry in the world is the running thread's own; these are plain reads between two
    // events.
    unsafe { !(*me()).cancel.disabled && !(*me()).cancel.leaving }
}

/// Performs the event in which the running thread looks whether it was asked to end, and returns
/// whether it was.
pub(in crate::pthread) fn look() -> bool {
    let object = object::cancellation(engine::thread());
    engine::perform(Operation {
        object,
        ..engine::operation(Kind::SharedRead)
    });
    // SAFETY: the entry in the world is the running thread's own; whoever else writes it does so in
    // an event that conflicts with the one above.
    unsafe { (*me()).cancel.requested }
}

/// Lets the running thread begin to leave.
pub(in crate::pthread) fn act() {
    if signal::is_in_handler() {
        engine::unsupported("cancellation in a signal handler");
    }
    happens_before::acquire(object::cancellation(engine::thread()));
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*me()).cancel.leaving = true };
}

/// Looks, at a cancellation point that does not block, whether the running thread was asked to end.
/// True: it leaves.
pub fn point() -> bool {
    let leaves = is_possible() && look();
    if leaves {
        act();
    }
    leaves
}

/// Returns whether the running thread can be cancelled anywhere, by what it says itself.
pub fn is_anywhere() -> bool {
    // SAFETY: the entry in the world is the running thread's own; these are plain reads between two
    // events.
    unsafe {
        let state = (*me()).cancel;
        state.asynchronous && !state.disabled && !state.leaving
    }
}

/// Looks, before an access of the running thread's in a hook, `site`, whether it was asked to end.
/// If it can be cancelled anywhere, and somebody has asked, it leaves from there: nothing on its
/// stack but the program's frames needs to be unwound.
#[cold]
pub fn anywhere(site: SiteId) {
    if is_possible() && is_anywhere() && !engine::is_inside_event() {
        CALL_SITE.set(site);
        if look() {
            act();
            unwinder::cancelled();
        }
    }
}

/// Refuses an operation of the running thread's, which somebody may cancel: if that would have to
/// end the operation although it is part of no cancellation point, it cannot be followed.
#[cold]
pub fn refuse(operation: &Operation) {
    let waits = matches!(
        operation.kind,
        Kind::MutexLock
            | Kind::MutexLockAll
            | Kind::RwlockRead
            | Kind::RwlockWrite
            | Kind::BarrierArrive
            | Kind::FutexWait
    );
    if waits && is_possible() && is_anywhere() {
        engine::unsupported("a wait of a thread with asynchronous cancellation");
    }
}

/// Functions of the table in libc/ that are cancellation points (XSH 2.9.5.2, and those of epoll).
#[rustfmt::skip] // A table: many names to a line.
const POINTS: &[&str] = &[
    "__open64_2", "__open_2", "__openat64_2", "__openat_2", "__poll_chk", "__ppoll_chk", "__pread64_chk", "__pread_chk",
    "__read_chk", "__recv_chk", "__recvfrom_chk", "accept", "accept4", "close", "connect", "creat", "creat64",
    "epoll_pwait", "epoll_pwait2", "epoll_wait", "fdatasync", "fsync", "lockf", "lockf64", "msync", "open",
    "open64", "openat", "openat64", "poll", "ppoll", "pread", "pread64", "preadv", "preadv64", "pselect",
    "pwrite", "pwrite64", "pwritev", "pwritev64", "read", "readv", "recv", "recvfrom", "recvmsg", "select",
    "send", "sendmsg", "sendto", "tcdrain", "wait", "waitid", "waitpid", "write", "writev",
];

/// Notes that a function of the table in libc/ begins. True: the thread leaves.
pub fn point_of(function: &str) -> bool {
    if !is_possible() {
        return false;
    }
    let is_point = POINTS.contains(&function);
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*me()).cancel.in_point = is_point };
    is_point && point()
}

/// `pthread_testcancel`.
pub(in crate::pthread) extern "C" fn test() -> Outcome {
    if !engine::active() {
        let native = real!(pthread_testcancel: fn()) as *const c_void;
        return Outcome::native(native);
    }
    match point() {
        true => Outcome::leave(),
        false => Outcome::result(0),
    }
}
