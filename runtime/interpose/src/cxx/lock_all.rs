//! `std::lock`: several mutexes at once.
//!
//! The library's loop locks one mutex, tries the others, and where that fails unlocks them, waits for the
//! one that failed, and begins there again. A round that fails changes nothing but that the mutexes are held
//! for a moment, which only those notice who try one of them. As long as nobody does, the function is one
//! event that waits until all of them are free: the pass lets it say which it wants
//! ([`dpor_lock_all`]), and its calls are then answered at once ([`is_granted`]).
//!
//! Where somebody tries one of them, this is learnt, and the search begins anew with the loop as it is
//! written. Two threads can back off for ever; so a thread that fails too often in one call goes no further,
//! and the search is incomplete.
//!
//! Source: C++20, thread.lock.algorithm; libstdc++, `std_mutex.h` and `mutex`. docs/decisions/0041.

use crate::engine::uses::{self, Use};
use crate::engine::{self, runtime::runtime};
use crate::pthread::{me, memory, mutex};
use core::ffi::c_int;
use dpor_explorer::program::{several, ObjectId, Operation};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// Mutexes that one call can have at once.
const MUTEXES_MAX: usize = 3;

/// Rounds of one call that may fail where they are noticed: enough for two that see each other fail once
/// more. Chosen; each more multiplies the executions.
const FAILURES_MAX: u8 = 3;

/// What a thread stands in.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Wanted {
    /// Mutexes that it holds already, and that the function has not asked for yet; 0: none.
    granted: [usize; MUTEXES_MAX],
    /// Mutexes that it asks for in a loop.
    asked: [usize; MUTEXES_MAX],
    /// How often it failed.
    failures: u8,
}

/// Mutexes that `std::lock` was called for, and those that somebody tried. Never taken back: what was seen
/// in one execution counts in all.
#[derive(Default)]
pub struct Seen {
    together: Objects,
    tried: Objects,
    /// The one that was tried last.
    tried_last: u64,
}

/// Without `RandomState`, which uses thread-local storage.
type Objects = HashSet<u64, BuildHasherDefault<DefaultHasher>>;

fn seen() -> &'static mut Seen {
    // SAFETY: a fiber runs; no reference outlives a call of this file.
    unsafe { &mut (*runtime()).uses.locks }
}

fn wanted() -> &'static mut Wanted {
    // SAFETY: the running thread's own entry; no reference outlives an operation.
    unsafe { &mut (*me()).wanted }
}

/// `std::lock` begins, for `count` mutexes. Null: a lock that has none, or that owns it.
///
/// # Safety
/// Called by the functions that the pass changed: what is not null is a mutex.
#[no_mangle]
pub unsafe extern "C" fn dpor_lock_all(count: c_int, first: usize, second: usize, third: usize) {
    if !engine::active() || engine::is_inside_event() {
        return;
    }
    let all = [first, second, third];
    let mutexes = &all[..count as usize];
    let twice = |at: usize| mutexes[at + 1..].contains(&mutexes[at]);
    if mutexes.contains(&0) || (0..mutexes.len()).any(twice) {
        return;
    }
    // SAFETY: the caller's.
    let Some(operation) = (unsafe { mutex::together(mutexes) }) else {
        return;
    };
    for object in objects(&operation) {
        seen().together.insert(object.0);
        note_meeting(object);
    }
    if uses::knows(Use::TriedLocks) {
        wanted().asked = all;
        wanted().failures = 0;
        return;
    }
    // Nothing but the numbers is kept over the switch.
    engine::perform(operation);
    memory::lock_all(objects(&operation));
    wanted().granted = all;
}

fn objects(operation: &Operation) -> impl Iterator<Item = ObjectId> {
    std::iter::once(operation.object).chain(several::of(operation.expected))
}

/// A mutex is tried and wanted with others, by whomever.
fn note_meeting(object: ObjectId) {
    if seen().together.contains(&object.0) && seen().tried.contains(&object.0) {
        uses::learn(Use::TriedLocks);
    }
}

/// The running thread calls a function that locks a mutex, or tries to: whether it has it already.
#[inline]
pub(crate) fn is_granted(mutex: usize) -> bool {
    let granted = &mut wanted().granted;
    match granted.iter_mut().find(|known| **known == mutex) {
        Some(known) => {
            *known = 0;
            true
        }
        None => false,
    }
}

/// The running thread tries a mutex.
pub(crate) fn tries(object: ObjectId) {
    if engine::active() && seen().tried_last != object.0 {
        seen().tried_last = object.0;
        seen().tried.insert(object.0);
        note_meeting(object);
    }
}

/// In vain.
pub(crate) fn failed(mutex: usize) {
    let wanted = wanted();
    if !wanted.asked.contains(&mutex) {
        return;
    }
    wanted.failures += 1;
    if wanted.failures > FAILURES_MAX {
        uses::learn(Use::BacksOff);
        engine::dead();
    }
}

/// What the search leaves out, if it does.
pub fn left_out() -> Option<String> {
    uses::knows(Use::BacksOff).then(|| {
        format!(
            "std::lock: executions are left out in which a thread backs off more than {FAILURES_MAX} times, \
             of mutexes that are also tried (try_lock)"
        )
    })
}
