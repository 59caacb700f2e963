//! Progress that a program marks (`dpor_progress`, `dpor_section`), and turns of loops that it never leaves.
//!
//! Marks are no events: nobody can tell when one is made. They are counted by thread, and what the count was at the head
//! of a loop is kept with the loop ([`Progress::at_head`]), so that it is known of each turn whether it had one.

use crate::engine::runtime::runtime;
use crate::pthread::{entry, me};
use core::ffi::c_char;
use dpor_explorer::program::ThreadId;

/// Of one thread; rolled back with it.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Progress {
    /// Marks so far.
    marks: u32,
    /// One more than the number of events when it last began a turn of a loop that it cannot leave; 0: it did not. No
    /// count, so that a loop without events stays in the same state.
    turns: u32,
    /// Sections that it is in.
    sections: u32,
    /// The number of events when its last turn with a mark ended; 0: there is none.
    marked: u32,
    /// The same of a turn of a loop that it cannot leave.
    endless: u32,
}

impl Progress {
    /// Of a thread that did nothing yet.
    pub const NONE: Progress = Progress {
        marks: 0,
        turns: 0,
        sections: 0,
        marked: 0,
        endless: 0,
    };

    /// What is kept of the thread at the head of a loop, after so many events.
    pub fn at_head(&self, events: usize) -> u64 {
        let [marks, turns] = [self.marks, self.turns].map(|count| u64::from(count & 0xffff));
        marks << 48 | turns << 32 | events as u64 & 0xffff_ffff
    }

    /// A turn ends after so many events, of a loop that kept `before`.
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

/// Whether a turn of the thread with a mark ended after more than so many events.
pub fn is_marked(thread: ThreadId, since: usize) -> bool {
    // SAFETY: an entry of the world.
    unsafe { (*entry(thread)).progress.marked as usize > since }
}

/// Whether a turn ended then of a loop that the thread cannot leave.
pub fn is_endless(thread: ThreadId, since: usize) -> bool {
    // SAFETY: as above.
    unsafe { (*entry(thread)).progress.endless as usize > since }
}

fn own() -> &'static mut Progress {
    // SAFETY: the running thread's own entry, which nothing else refers to meanwhile.
    unsafe { &mut (*me()).progress }
}

/// The thread begins a turn of a loop that it never leaves.
#[no_mangle]
pub extern "C" fn __dpor_endless() {
    if crate::engine::active() {
        // SAFETY: a fiber runs; see `runtime`.
        own().turns = unsafe { (*runtime()).depth } as u32 + 1;
    }
}

/// What the thread does counts: see dpor.h. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_progress() {
    if crate::engine::active() {
        own().marks = own().marks.wrapping_add(1);
    }
}

/// The thread enters a section of this name. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_section_begin(_name: *const c_char) {
    if crate::engine::active() {
        own().sections = own().sections.saturating_add(1);
    }
}

/// It leaves the innermost. Native: nothing.
#[no_mangle]
pub extern "C" fn dpor_section_end() {
    if crate::engine::active() && own().sections > 0 {
        own().sections -= 1;
        own().marks = own().marks.wrapping_add(1);
    }
}
