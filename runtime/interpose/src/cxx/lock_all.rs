//! `std::lock`: several mutexes at once.
//!
//! The library's loop locks one mutex, tries the others, and where that fails unlocks them, waits for the
//! one that failed, and begins there again. A round that fails changes nothing but that the mutexes are held
//! for a moment, which only those notice who try one of them. As long as nobody does, the function is one
//! event that waits until all of them are free: the pass lets it say which it wants
//! ([`super::lock_together`]), and its calls are then answered at once ([`is_granted`]).
//!
//! Where somebody tries one of them, this is learnt, and the search begins anew with the loop as it is
//! written. Two threads can back off for ever; so a thread that fails too often in one call goes no further,
//! and the search is incomplete.
//!
//! Source: C++20, thread.lock.algorithm; libstdc++, `std_mutex.h` and `mutex`. docs/decisions/0041.

use super::wanted::Wanted;
use crate::engine::knowledge::mutexes_together::Seen;
use crate::engine::learned_events::{self, EventCause};
use crate::engine::runtime::runtime;
use crate::engine::{self, object};
use crate::pthread::me;
use crate::scoped_cell::ScopedCell;
use dpor_model::ObjectId;

/// Rounds of one call that may fail where they are noticed: enough for two that see each other fail once
/// more. Chosen; each more multiplies the executions.
const FAILURES_MAX: u8 = 3;

pub(super) fn seen() -> ScopedCell<Seen> {
    // SAFETY: a fiber runs, and the engine has no reference meanwhile.
    unsafe { ScopedCell::at(&raw mut (*runtime()).locks) }
}

pub(super) fn wanted() -> ScopedCell<Wanted> {
    // SAFETY: the entry lies in the world, which is mapped, and is the running thread's own; it is
    // reached through this function only.
    unsafe { ScopedCell::at(&raw mut (*me()).wanted) }
}

/// Learns, if that is so, that a mutex is tried and wanted with others, by whomever.
pub(super) fn note_meeting(object: ObjectId) {
    let meet = |seen: &Seen| seen.together.contains(&object.0) && seen.tried.contains(&object.0);
    if seen().look(meet) {
        learned_events::learn(EventCause::TriedLocks);
    }
}

/// Returns the place of a mutex among those that the running thread's call wants.
fn place(mutex: usize) -> Option<usize> {
    let all = wanted().look(|wanted| wanted.all)?;
    all.0.iter().position(|&one| one == object::mutex(mutex))
}

/// Returns whether the running thread, which calls a function that locks a mutex or tries to, has
/// it already.
#[inline]
pub(crate) fn is_granted(mutex: usize) -> bool {
    wanted().look(|wanted| wanted.granted) != 0 && take_granted(mutex)
}

#[cold]
fn take_granted(mutex: usize) -> bool {
    let Some(bit) = place(mutex).map(|place| 1 << place) else {
        return false;
    };
    wanted().change(|wanted| {
        let had = wanted.granted & bit != 0;
        wanted.granted &= !bit;
        had
    })
}

/// Notes that the running thread tries a mutex.
pub(crate) fn tries(object: ObjectId) {
    if engine::active() && seen().look(|seen| seen.tried_last) != object.0 {
        seen().change(|seen| {
            seen.tried_last = object.0;
            seen.tried.insert(object.0);
        });
        note_meeting(object);
    }
}

/// Notes that the running thread tried a mutex of its `std::lock` in vain.
pub(crate) fn failed(mutex: usize) {
    if !wanted().look(|wanted| wanted.loops) || place(mutex).is_none() {
        return;
    }
    let failures = wanted().change(|wanted| {
        wanted.failures += 1;
        wanted.failures
    });
    if failures > FAILURES_MAX {
        learned_events::learn(EventCause::BacksOff);
        engine::dead();
    }
}

/// Returns what the search leaves out, if it does.
pub fn left_out() -> Option<String> {
    learned_events::knows(EventCause::BacksOff).then(|| {
        format!(
            "std::lock: executions are left out in which a thread backs off more than {FAILURES_MAX} times, \
             of mutexes that are also tried (try_lock)"
        )
    })
}
