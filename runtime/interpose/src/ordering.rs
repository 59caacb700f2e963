//! What the program says about the order of its threads: `dpor_acquire`, `dpor_release`, and the names by
//! which other race detectors know the same.
//!
//! A release adds what its thread knows to an address; an acquire learns what was added there before. What an
//! acquire learns depends on which releases came first, so both are events: releases of an address conflict with
//! its acquires and with each other.
//!
//! *From code without instrumentation they are no events.* It annotates its own lock, which the thread holds by
//! then: were others to run now, they would wait for it in code that nobody can interrupt. In which order such
//! code is entered is not explored; the verdict names it ([`crate::engine::foreign`]).
//!
//! *Mutexes* (`__tsan_mutex_*`) are announced before they are locked: to the search they are locks, wherever the
//! call comes from, and the thread takes the real one when it is free. What it does with the lock's own memory
//! meanwhile is not judged.

#![allow(non_snake_case, reason = "the names of other tools' annotations")]

use crate::annotations;
use crate::engine::accesses::uninstrumented;
use crate::engine::{self, object};
use crate::hooks::clean_entry::{begin, clear_below, CLEARS};
use crate::pthread::{happens_before, locks_at_root, me};
use core::arch::naked_asm;
use core::ffi::{c_char, c_int, c_uint, c_void};
use dpor_model::{mutex_kind, Argument, Kind, ObjectId, Operation};

crate::hooks::clean_entry::clean_entries! {
    AnnotateRWLockAcquired, AnnotateRWLockReleased, __tsan_mutex_pre_lock, __tsan_mutex_post_lock, __tsan_mutex_pre_unlock, __tsan_mutex_post_unlock
}

/// A function that calls `$what(address, stack pointer at its entry)`; the address is in register `$address`.
macro_rules! annotation {
    ($($(#[$doc:meta])* $name:ident($address:literal) => $what:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The address is only a name. Native: nothing.
        #[unsafe(naked)]
        #[no_mangle]
        pub unsafe extern "C" fn $name() {
            naked_asm!(
                clear_below!(),
                concat!("mov rdi, ", $address),
                "mov rsi, rsp",
                "jmp {what}",
                clears = sym CLEARS, begin = sym begin,
                what = sym $what,
            )
        }
    )*};
}

annotation! {
    /// The calling thread learns what was released to the address.
    dpor_acquire("rdi") => acquire;
    /// What the calling thread did comes before what who acquires the address does next.
    dpor_release("rdi") => release;
    /// Annotation of ThreadSanitizer's: an acquire, as [`dpor_acquire`].
    __tsan_acquire("rdi") => acquire;
    /// Annotation of ThreadSanitizer's: a release, as [`dpor_release`].
    __tsan_release("rdi") => release;
    /// Annotation of valgrind's tools: a release, as [`dpor_release`], of the address after a file
    /// and a line.
    AnnotateHappensBefore("rdx") => release;
    /// Annotation of valgrind's tools: an acquire, as [`dpor_acquire`], of the address after a file
    /// and a line.
    AnnotateHappensAfter("rdx") => acquire;
    /// Annotation [`AnnotateHappensBefore`] under WebKit's name: a release.
    WTFAnnotateHappensBefore("rdx") => release;
    /// Annotation [`AnnotateHappensAfter`] under WebKit's name: an acquire.
    WTFAnnotateHappensAfter("rdx") => acquire;
}

fn address_object(address: usize) -> ObjectId {
    object::ordered(address)
}

/// Performs the event of an annotation, if instrumented code makes it.
fn event(kind: Kind, object: ObjectId, stack_pointer: usize) {
    if uninstrumented::is_called_directly(stack_pointer) {
        engine::perform(Operation {
            object,
            ..engine::operation(kind)
        });
    }
}

extern "C" fn acquire(address: usize, stack_pointer: usize) {
    if engine::active() {
        let object = address_object(address);
        event(Kind::SharedRead, object, stack_pointer);
        happens_before::acquire(object);
    }
}

extern "C" fn release(address: usize, stack_pointer: usize) {
    if engine::active() {
        let object = address_object(address);
        event(Kind::SharedWrite, object, stack_pointer);
        happens_before::release(object);
    }
}

/// Announces that a lock of the program's own was taken, for writing or by one of several readers.
///
/// # Safety
/// The address is only a name. Native: nothing.
#[unsafe(naked)]
pub unsafe extern "C" fn AnnotateRWLockAcquired() {
    naked_asm!("mov rdi, rdx", "mov rsi, rsp", "mov rdx, rcx", "jmp {what}", what = sym acquired)
}

/// Announces that a read-write lock is about to be given back.
///
/// # Safety
/// The address is only a name. Native: nothing.
#[unsafe(naked)]
pub unsafe extern "C" fn AnnotateRWLockReleased() {
    naked_asm!("mov rdi, rdx", "mov rsi, rsp", "mov rdx, rcx", "jmp {what}", what = sym released)
}

extern "C" fn acquired(address: usize, stack_pointer: usize, writes: usize) {
    if engine::active() {
        let object = address_object(address);
        event(Kind::SharedRead, object, stack_pointer);
        happens_before::acquire(object);
        if writes != 0 {
            happens_before::after_readers(object);
        }
    }
}

extern "C" fn released(address: usize, stack_pointer: usize, writes: usize) {
    if engine::active() {
        let object = address_object(address);
        event(Kind::SharedWrite, object, stack_pointer);
        match writes != 0 {
            true => happens_before::release(object),
            false => happens_before::release_of_reader(object),
        }
    }
}

/// Flags of `<sanitizer/tsan_interface.h>`, as callers pass them.
const WRITE_REENTRANT: c_uint = 1 << 1;
const READ_LOCK: c_uint = 1 << 3;
const TRY_LOCK: c_uint = 1 << 4;
const TRY_LOCK_FAILED: c_uint = 1 << 5;

fn mutex(kind: Kind, address: usize, flags: c_uint) -> Operation {
    Operation {
        object: object::spin(address),
        argument: Argument::mutex(match flags & WRITE_REENTRANT {
            0 => mutex_kind::NORMAL,
            _ => mutex_kind::RECURSIVE,
        }),
        ..engine::operation(kind)
    }
}

/// Announces that a mutex of the program's own is about to be locked.
///
/// Its lock for reading is `unsupported`. Native: nothing.
pub extern "C" fn __tsan_mutex_pre_lock(address: *mut c_void, flags: c_uint) {
    if !engine::active() {
        return;
    }
    if flags & READ_LOCK != 0 {
        engine::unsupported("__tsan_mutex_pre_lock for reading");
    }
    let tries = flags & TRY_LOCK != 0;
    let kind = if tries {
        Kind::MutexTrylock
    } else {
        Kind::MutexLock
    };
    let event = mutex(kind, address as usize, flags);
    let is_locked = engine::perform(event).result == 0;
    match tries {
        _ if !is_locked => {}
        true => happens_before::lock_at_once(event.object),
        false => happens_before::lock(event.object),
    }
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    unsafe { (*me()).tried = u8::from(is_locked) };
    annotations::dpor_ignore_begin();
}

/// Announces that an annotated mutex was locked, or could not be.
///
/// Native: nothing.
pub extern "C" fn __tsan_mutex_post_lock(address: *mut c_void, flags: c_uint, _recursion: c_int) {
    if engine::before_root() {
        if flags & TRY_LOCK_FAILED == 0 {
            let event = mutex(Kind::MutexLock, address as usize, flags);
            locks_at_root::add(event.object, event.mutex_kind());
        }
        return;
    }
    if !engine::active() {
        return;
    }
    annotations::dpor_ignore_end();
    if flags & TRY_LOCK == 0 {
        return;
    }
    // SAFETY: the entry in the world is the running thread's own, and no other fiber runs between
    // two events.
    let expected = unsafe { (*me()).tried } != 0;
    if expected == (flags & TRY_LOCK_FAILED != 0) {
        engine::unsupported("an annotated mutex that others lock without an annotation");
    }
}

/// Announces that an annotated mutex is about to be unlocked.
///
/// Native: nothing.
pub extern "C" fn __tsan_mutex_pre_unlock(address: *mut c_void, flags: c_uint) -> c_int {
    let event = mutex(Kind::MutexUnlock, address as usize, flags);
    if engine::before_root() {
        locks_at_root::remove(event.object);
    }
    if engine::active() {
        let result = engine::perform(event).result;
        if result == 0 {
            happens_before::unlock(event.object);
        }
        annotations::dpor_ignore_begin();
    }
    0
}

/// Announces that an annotated mutex was unlocked.
///
/// Native: nothing.
pub extern "C" fn __tsan_mutex_post_unlock(_address: *mut c_void, _flags: c_uint) {
    if engine::active() {
        annotations::dpor_ignore_end();
    }
}

/// Leaves the running thread's plain accesses unchecked from here on, as `dpor_ignore_begin`.
#[no_mangle]
pub extern "C" fn AnnotateIgnoreReadsBegin(_file: *const c_char, _line: c_int) {
    annotations::dpor_ignore_begin();
}

/// Ends what [`AnnotateIgnoreReadsBegin`] began, as `dpor_ignore_end`.
#[no_mangle]
pub extern "C" fn AnnotateIgnoreReadsEnd(_file: *const c_char, _line: c_int) {
    annotations::dpor_ignore_end();
}

/// Leaves the running thread's plain accesses unchecked from here on, as `dpor_ignore_begin`.
#[no_mangle]
pub extern "C" fn AnnotateIgnoreWritesBegin(_file: *const c_char, _line: c_int) {
    annotations::dpor_ignore_begin();
}

/// Ends what [`AnnotateIgnoreWritesBegin`] began, as `dpor_ignore_end`.
#[no_mangle]
pub extern "C" fn AnnotateIgnoreWritesEnd(_file: *const c_char, _line: c_int) {
    annotations::dpor_ignore_end();
}

/// Accepted, without effect: what they say does not order threads.
macro_rules! accepted {
    ($($name:ident)*) => {$(
        /// Accepts an annotation of another tool, without effect.
        #[no_mangle]
        pub extern "C" fn $name() {}
    )*};
}

accepted! {
    __tsan_mutex_create __tsan_mutex_destroy
    __tsan_mutex_pre_signal __tsan_mutex_post_signal
    __tsan_mutex_pre_divert __tsan_mutex_post_divert
    AnnotateRWLockCreate AnnotateRWLockCreateStatic AnnotateRWLockDestroy
    AnnotateThreadName AnnotateBenignRace AnnotateBenignRaceSized
    WTFAnnotateBenignRaceSized
}
