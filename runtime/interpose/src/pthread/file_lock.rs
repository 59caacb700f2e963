//! `flockfile`, `ftrylockfile`, `funlockfile`: a recursive lock per FILE, the runtime's own.
//!
//! libc's lock inside the FILE stays free: only one fiber runs at a time, and a stdio call does not
//! switch fibers in its middle.

use super::{happens_before, locks_at_root};
use crate::engine::{self, object};
use crate::libc::stream_lock;
use ::libc::FILE;
use core::ffi::c_int;
use dpor_model::{mutex_kind, Argument, Kind};

crate::hooks::clean_entry::clean_entries! {
    flockfile, ftrylockfile, funlockfile
}

fn perform(what: Kind, file: *mut FILE) -> c_int {
    if !stream_lock::modelled() {
        // No loaded object imported these functions at the root, so stdio calls do not take the lock.
        engine::unsupported("flockfile reached through dlsym");
    }
    let mut operation = engine::operation(what);
    operation.object = object::guard(file as usize);
    operation.argument = Argument::mutex(mutex_kind::RECURSIVE);
    engine::perform(operation).result
}

/// `flockfile`: an event that waits until the lock of the stream is free, and takes it.
///
/// # Safety
/// `file` is an open stream.
pub unsafe extern "C" fn flockfile(file: *mut FILE) {
    let lock = object::guard(file as usize);
    if engine::active() {
        perform(Kind::MutexLock, file);
        happens_before::lock(lock);
    } else if engine::before_root() {
        locks_at_root::add(lock, mutex_kind::RECURSIVE);
    } else {
        let flockfile = real!(flockfile: fn(*mut FILE));
        // SAFETY: libc's function gets the program's stream as it came, and asks no more of it than
        // this one.
        unsafe { flockfile(file) }
    }
}

/// `ftrylockfile`: an event that takes the lock of the stream if it is free.
///
/// # Safety
/// `file` is an open stream.
pub unsafe extern "C" fn ftrylockfile(file: *mut FILE) -> c_int {
    let lock = object::guard(file as usize);
    if engine::active() {
        let result = perform(Kind::MutexTrylock, file);
        if result == 0 {
            happens_before::lock(lock);
        }
        result
    } else if engine::before_root() {
        locks_at_root::add(lock, mutex_kind::RECURSIVE);
        0
    } else {
        let ftrylockfile = real!(ftrylockfile: fn(*mut FILE) -> c_int);
        // SAFETY: libc's function gets the program's stream as it came, and asks no more of it than
        // this one.
        unsafe { ftrylockfile(file) }
    }
}

/// `funlockfile`: an event that gives back the lock of the stream.
///
/// # Safety
/// `file` is an open stream.
pub unsafe extern "C" fn funlockfile(file: *mut FILE) {
    let lock = object::guard(file as usize);
    if engine::active() {
        if perform(Kind::MutexUnlock, file) == 0 {
            happens_before::unlock(lock);
        }
    } else if engine::before_root() {
        locks_at_root::remove(lock);
    } else {
        let funlockfile = real!(funlockfile: fn(*mut FILE));
        // SAFETY: libc's function gets the program's stream as it came, and asks no more of it than
        // this one.
        unsafe { funlockfile(file) }
    }
}
