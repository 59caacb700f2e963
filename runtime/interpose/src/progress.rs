//! Progress that a program marks (`dpor_progress`, `dpor_section`), and turns of loops that it never leaves.
//!
//! Marks are no events: nobody can tell when one is made. They are counted by thread, and what the count was at the head
//! of a loop is kept with the loop ([`Progress::at_head`]), so that it is known of each turn whether it had one.

mod counts;

use crate::engine::runtime::runtime;
use crate::hooks::options::is_by_states;
use crate::pthread::{entry, me};
use crate::scoped_cell::ScopedCell;
use core::ffi::c_char;
pub use counts::Progress;
use dpor_abi::options::Guarantee;
use dpor_model::ThreadId;

/// Returns whether a turn of the thread with a mark ended after more than so many events.
pub fn is_marked(thread: ThreadId, since: usize) -> bool {
    // SAFETY: the entry lies in the world, which is mapped; no other fiber runs until the next
    // event.
    unsafe { (*entry(thread)).progress.marked as usize > since }
}

/// Returns whether a turn ended then of a loop that the thread cannot leave.
pub fn is_endless(thread: ThreadId, since: usize) -> bool {
    // SAFETY: the entry lies in the world, which is mapped; this is a plain read while the engine
    // runs.
    unsafe { (*entry(thread)).progress.endless as usize > since }
}

/// Returns the running thread's progress.
fn own() -> ScopedCell<Progress> {
    // SAFETY: the running thread's own entry in the world, which is mapped; nothing else leads there
    // while a closure runs.
    unsafe { ScopedCell::at(&raw mut (*me()).progress) }
}

/// Returns whether marks are counted: not where states are remembered, which they would make differ.
fn are_counted() -> bool {
    crate::engine::active() && !is_by_states()
}

/// Notes that the running thread begins a turn of a loop that it never leaves.
#[no_mangle]
pub extern "C" fn __dpor_endless() {
    if are_counted() {
        // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile
        // (see `runtime`).
        let events = unsafe { (*runtime()).depth } as u32;
        own().change(|own| own.turns = events + 1);
    }
}

/// Tells a search over states of a mark, which it has of the step. Where something is promised of calls, their ends are the
/// only marks ([`call_ended`]).
fn tell() {
    if crate::engine::active() {
        // SAFETY: a fiber runs, so the runtime exists; nobody else holds a reference meanwhile.
        let rt = unsafe { &mut *runtime() };
        rt.progress |= rt.options.guarantee == Guarantee::None;
    }
}

/// Tells a search over states that a call of the running thread's has ended, of those of which something is promised. True
/// if this is not the first one in this step: the thread made no event in this call.
pub fn call_ended() -> bool {
    if !crate::engine::active() {
        return false;
    }
    // SAFETY: a fiber runs, so the runtime exists; nobody else holds a reference meanwhile.
    let rt = unsafe { &mut *runtime() };
    rt.progress = true;
    let step = rt.serial;
    core::mem::replace(&mut rt.call_ended, step) == step
}

/// Marks that the running thread gets on: see dpor.h. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_progress() {
    tell();
    if are_counted() {
        own().change(|own| own.marks = own.marks.wrapping_add(1));
    }
}

/// Lets the running thread enter a section of this name. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_section_begin(_name: *const c_char) {
    if are_counted() {
        own().change(|own| own.sections = own.sections.saturating_add(1));
    }
}

/// Lets the running thread leave its innermost section. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_section_end() {
    tell();
    if are_counted() {
        own().change(|own| {
            if own.sections > 0 {
                own.sections -= 1;
                own.marks = own.marks.wrapping_add(1);
            }
        });
    }
}
