//! Progress that a program marks (`dpor_progress`, `dpor_section`), and turns of loops that it never leaves.
//!
//! Marks are no events: nobody can tell when one is made. They are counted by thread, and what the count was at the head
//! of a loop is kept with the loop ([`Progress::at_head`]), so that it is known of each turn whether it had one.

use crate::engine::runtime::runtime;
use crate::pthread::{entry, me};
use crate::scoped_cell::ScopedCell;
use core::ffi::c_char;
use dpor_explorer::program::ThreadId;

/// Progress of one thread; rolled back with it.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Progress {
    /// Number of marks so far.
    marks: u32,
    /// One more than the number of events when the thread last began a turn of a loop that it
    /// cannot leave; 0: it did not. No count, so that a loop without events stays in the same
    /// state.
    turns: u32,
    /// Number of sections that the thread is in.
    sections: u32,
    /// Number of events when the thread's last turn with a mark ended; 0: there is none.
    marked: u32,
    /// Number of events when the thread's last turn of a loop that it cannot leave ended; 0: there
    /// is none.
    endless: u32,
}

impl Progress {
    /// Progress of a thread that did nothing yet.
    pub const NONE: Progress = Progress {
        marks: 0,
        turns: 0,
        sections: 0,
        marked: 0,
        endless: 0,
    };

    /// Returns what is kept of the thread at the head of a loop, after so many events.
    pub fn at_head(&self, events: usize) -> u64 {
        let [marks, turns] = [self.marks, self.turns].map(|count| u64::from(count & 0xffff));
        marks << 48 | turns << 32 | events as u64 & 0xffff_ffff
    }

    /// Ends a turn after so many events, of a loop that kept `before`.
    pub fn turn_ends(&mut self, before: u64, events: usize) {
        let changed = before ^ self.at_head(events);
        if changed >> 48 != 0 {
            self.marked = events as u32;
        }
        if changed >> 32 & 0xffff != 0 {
            self.endless = events as u32;
        }
    }
}

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

/// Notes that the running thread begins a turn of a loop that it never leaves.
#[no_mangle]
pub extern "C" fn __dpor_endless() {
    if crate::engine::active() {
        // SAFETY: a fiber runs, so the runtime exists, and nobody else holds a reference meanwhile
        // (see `runtime`).
        let events = unsafe { (*runtime()).depth } as u32;
        own().change(|own| own.turns = events + 1);
    }
}

/// Marks that the running thread gets on: see dpor.h. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_progress() {
    if crate::engine::active() {
        own().change(|own| own.marks = own.marks.wrapping_add(1));
    }
}

/// Lets the running thread enter a section of this name. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_section_begin(_name: *const c_char) {
    if crate::engine::active() {
        own().change(|own| own.sections = own.sections.saturating_add(1));
    }
}

/// Lets the running thread leave its innermost section. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_section_end() {
    if crate::engine::active() {
        own().change(|own| {
            if own.sections > 0 {
                own.sections -= 1;
                own.marks = own.marks.wrapping_add(1);
            }
        });
    }
}
