//! `pthread_once`.
//!
//! A lock of the runtime's own per control word: held while the routine runs, taken and given back
//! by everybody who comes later, which is also the edge from the initializer to them.
//!
//! The control word holds glibc's values, so what was done before the root stays done, and others
//! for those done under exploration. Calls that find glibc's [`DONE`] are no events, because nothing
//! that happened after the root can have changed that word.
//!
//! A thread whose past holds the end of the routine gets no event either: for it, the word cannot
//! change any more. That matters in C++, where every `std::locale` begins with a `pthread_once`. What
//! a thread knows is a function of its own past ([`Known`]), never of what the word happens to hold:
//! each completion leaves a word of its own, and the thread must have met that very one.
//!
//! The function itself is in [`super::unwind`], because exceptions pass through it. If the routine
//! leaves by one, or by `pthread_exit`, the next caller runs it again, as in glibc.

use super::{locks_at_root, memory, unwinder_locks};
use crate::engine::accesses::uninstrumented;
use crate::engine::{self, object};
use crate::hooks::options::is_by_states;
use crate::scoped_cell::ScopedCell;
use crate::world::{self, rolled_back, THREADS_MAX};
use core::ffi::c_int;
use dpor_model::{mutex_kind, ThreadId};

/// glibc's value of a finished control word.
const DONE: c_int = 2;
/// Bits of the control words of routines that were finished under exploration. Those words use the
/// bits of glibc's fork generation: the thread that completed it from bit 2 on, the number of its
/// completion from bit 8 on.
const EXPLORED: c_int = DONE | 1 << 30;

/// Control words that a thread remembers, the latest ones.
const KNOWN_MAX: usize = 16;

/// Control words whose completion is in a thread's past. All zero at first.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// Address and word; a ring.
    entries: [(usize, c_int); KNOWN_MAX],
    /// Number of entries ever made; modulo [`KNOWN_MAX`], the place of the next one in the ring.
    count: usize,
    /// Routines that the thread completed.
    completed: c_int,
}

impl Known {
    fn contains(&self, entry: (usize, c_int)) -> bool {
        self.count > 0 && self.entries.contains(&entry)
    }

    fn add(&mut self, entry: (usize, c_int)) {
        self.entries[self.count % KNOWN_MAX] = entry;
        self.count += 1;
    }
}

rolled_back!(static COMPLETED: RolledBack<[Known; THREADS_MAX]> = world::ONCE_COMPLETED);

/// Returns the completed control words that are in a thread's past.
fn known(thread: ThreadId) -> ScopedCell<Known> {
    // SAFETY: the world is mapped, the index is checked by the array, and nothing else leads there.
    unsafe { ScopedCell::at(&raw mut (*COMPLETED.get())[thread.0 as usize]) }
}

/// Lets a new thread know what its creator knows. It goes on counting where an earlier thread of
/// this number, which its creator has joined, stopped: no word is left twice.
pub(super) fn inherit(child: ThreadId) {
    let knows = known(engine::thread()).get();
    let (count, completed) = known(child).look(|known| (known.count, known.completed));
    // A page that is not written need not be restored.
    if knows.count > 0 || count > 0 {
        known(child).set(Known { completed, ..knows });
    }
}

/// Answers of [`enter`]; any other is the address of libc's `pthread_once`, to be called instead.
const NOTHING_TO_DO: usize = 0;
const RUN: usize = 1;

/// Begins a call of `pthread_once`. After the answer [`RUN`], the lock of `control` is held, and
/// `routine` is to be called with this stack pointer.
///
/// # Safety
/// `control` points to a control word.
pub(super) unsafe extern "C" fn enter(
    control: *mut c_int,
    routine: usize,
    stack_pointer: usize,
) -> usize {
    if !engine::active() && !engine::before_root() {
        return real!(pthread_once: fn(*mut c_int) -> c_int) as usize;
    }
    let address = control as usize;
    if is_event(address) {
        memory::used_at(address as u64, size_of::<c_int>() as u64);
    }
    // SAFETY: `control` points to the program's control word, as this function's caller guarantees;
    // no other fiber runs between two events.
    let word = unsafe { control.read() };
    let knows = |known: &Known| known.contains((address, word));
    if word == DONE || (engine::active() && known(engine::thread()).look(knows)) {
        return NOTHING_TO_DO;
    }
    lock(address);
    // SAFETY: `control` points to the program's control word, as this function's caller guarantees.
    // Read under the lock: another thread may have finished it meanwhile.
    let word = unsafe { control.read() };
    if word & EXPLORED == EXPLORED {
        unlock(address);
        if !is_by_states() {
            known(engine::thread()).change(|known| known.add((address, word)));
        }
        return NOTHING_TO_DO;
    }
    uninstrumented::call(routine, stack_pointer);
    RUN
}

/// Completes a call of `pthread_once` whose routine has returned.
///
/// # Safety
/// [`enter`] answered [`RUN`] for this control word on this thread.
pub(super) unsafe extern "C" fn complete(control: *mut c_int) {
    let address = control as usize;
    let word = if is_event(address) {
        learn(address)
    } else {
        DONE
    };
    // SAFETY: `control` points to the program's control word, as this function's caller guarantees;
    // the running thread holds its lock.
    unsafe { control.write(word) };
    unlock(address);
}

/// Returns the word to leave in a control word whose routine the running thread completed, and
/// which it knows from now on.
///
/// Where states are remembered, words come back, so that nobody can know one: each call is an event then.
fn learn(address: usize) -> c_int {
    if is_by_states() {
        return EXPLORED;
    }
    let thread = engine::thread();
    known(thread).change(|known| {
        // Wraps after 2^17 completions by one thread, far beyond any exploration.
        let number = (known.completed & 0x1_FFFF) << 13;
        known.completed += 1;
        let word = EXPLORED | c_int::from(thread.0 & 0x7FF) << 2 | number;
        known.add((address, word));
        word
    })
}

/// Gives back the lock of a control word whose routine was left and will not return.
pub(super) fn abandon(control: usize) {
    unlock(control);
}

/// Returns whether calls with this control word are events.
fn is_event(control: usize) -> bool {
    engine::active() && !unwinder_locks::contains(control)
}

fn lock(control: usize) {
    if unwinder_locks::contains(control) {
        return;
    }
    let guard = object::guard(control);
    if engine::before_root() {
        if !locks_at_root::contains(guard) {
            return locks_at_root::add(guard, mutex_kind::NORMAL);
        }
        // Called again from its own routine: the model reports the deadlock.
        engine::begin();
    }
    locks_at_root::lock_guard(control);
}

fn unlock(control: usize) {
    // The routine may have created threads, so the root may lie between `lock` and here.
    if is_event(control) {
        locks_at_root::unlock_guard(control);
    } else {
        locks_at_root::remove(object::guard(control));
    }
}
