//! `std::lock` begins: what the pass lets it say, and the event that locks all of its mutexes ([`super::lock_all`]).

use super::lock_all::{note_meeting, seen, wanted};
use super::wanted::Wanted;
use crate::engine;
use crate::engine::learned_events::{self, EventCause};
use crate::pthread::{me, memory, mutex};
use core::ffi::c_int;
use dpor_abi::LOCK_ALL_MAX;
use dpor_engine::object;
use dpor_model::{several, Operation};

crate::hooks::clean_entry::clean_entries! {
    dpor_lock_more, dpor_lock_all
}

const _: () = assert!(LOCK_ALL_MAX <= several::MAX && LOCK_ALL_MAX <= 32);

/// Three more mutexes of the `std::lock` that [`dpor_lock_all`] announces next; those that are null are none.
pub extern "C" fn dpor_lock_more(first: usize, second: usize, third: usize) {
    if engine::active() {
        let me = me() as usize;
        seen().change(|seen| {
            if seen.more_of != me {
                seen.more_of = me;
                seen.more.clear();
            }
            seen.more.extend([first, second, third]);
        });
    }
}

/// `std::lock` begins, for `count` mutexes. Null: a lock that has none, or that owns it.
///
/// # Safety
/// Called by the functions that the pass changed: what is not null is a mutex.
pub unsafe extern "C" fn dpor_lock_all(count: c_int, first: usize, second: usize, third: usize) {
    if !engine::active() {
        return;
    }
    let count = count as usize;
    let mut all = [0; LOCK_ALL_MAX];
    all[..3].copy_from_slice(&[first, second, third]);
    let (more, more_of) = seen().change(|seen| (core::mem::take(&mut seen.more), seen.more_of));
    let is_mine = more_of == me() as usize;
    let is_known = match count.checked_sub(3).filter(|&left| left > 0) {
        None => true,
        Some(left) if is_mine && (left..left + 3).contains(&more.len()) => {
            all[3..count].copy_from_slice(&more[..left]);
            true
        }
        Some(_) => false,
    };
    let mutexes = &all[..count];
    let twice = |at: usize| mutexes[at + 1..].contains(&mutexes[at]);
    let is_odd = mutexes.contains(&0) || (0..count).any(twice);
    if is_odd || !is_known || engine::is_inside_event() {
        return;
    }
    // SAFETY: `mutexes` are addresses of mutexes, as this function's caller guarantees.
    let Some(operation) = (unsafe { mutex::together(mutexes) }) else {
        return;
    };
    let objects = |some: &[usize]| some.iter().map(|&one| object::mutex(one)).collect();
    let operation = Operation {
        also: Some(seen().change(|seen| seen.list(objects(&mutexes[1..])))),
        ..operation
    };
    for object in operation.all() {
        seen().change(|seen| seen.together.insert(object.0));
        note_meeting(object);
    }
    let list = seen().change(|seen| seen.list(objects(mutexes)));
    if learned_events::knows(EventCause::TriedLocks) {
        wanted().set(Wanted {
            all: Some(list),
            loops: true,
            ..Wanted::default()
        });
        return;
    }
    // Nothing but the numbers is kept over the switch.
    drop(more);
    engine::perform(operation);
    memory::lock_all(operation.all());
    wanted().set(Wanted {
        all: Some(list),
        granted: u32::MAX >> (32 - count),
        ..Wanted::default()
    });
}
