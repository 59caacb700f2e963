//! The race detector, as the fiber that runs tells it of accesses and asks it.

use crate::accesses::repeated;
use crate::by_states::dead_stack;
use crate::runtime::runtime;
use core::ops::{Deref, DerefMut};
use dpor_model::ThreadId;
use dpor_races::Races;

/// What may have changed for the words of [`repeated`] when a [`Detector`] is given back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Nothing: it was told of plain accesses.
    Accesses,
    /// Some memory.
    Memory,
    /// What threads know of each other, and some memory.
    Anything,
}

/// The race detector, for the running fiber: each use of it borrows it anew, for one call.
pub struct Detector(*mut Races, Told);

impl Deref for Detector {
    type Target = Races;

    #[inline(always)]
    fn deref(&self) -> &Races {
        // SAFETY: a fiber runs, and the engine waits without a reference. What the detector is told or asked
        // does not come back to the runtime, so that no other borrow begins before this one ends.
        unsafe { &*self.0 }
    }
}

impl DerefMut for Detector {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Races {
        // SAFETY: the pointer leads into the installed runtime; a fiber runs, so the engine holds no reference, and the
        // fiber itself makes no second one during this call.
        unsafe { &mut *self.0 }
    }
}

impl Drop for Detector {
    #[inline(always)]
    fn drop(&mut self) {
        if self.1 != Told::Accesses {
            self.forget_disturbed();
        }
        if self.1 == Told::Anything {
            self.settle();
        }
        dead_stack::forget_detector();
    }
}

/// Calls of their own, not parts of whoever tells: what they leave in frames lies where [`dead_stack`] forgets it.
impl Detector {
    /// Forgets what was told of memory that the detector did something to.
    #[inline(never)]
    fn forget_disturbed(&mut self) {
        let (from, end) = self.take_disturbed();
        repeated::forget_range(from, end);
    }

    /// Says which epoch the running thread is in.
    #[inline(never)]
    fn settle(&mut self) {
        // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
        let thread = unsafe { (*runtime()).current };
        repeated::settle(self.epoch(thread));
    }
}

/// The race detector and the running thread's number in it; `None` if it is not to be told of what
/// happens: with `--races=off` and `--plain=check`, and in most steps that are repeated.
#[inline(always)]
pub fn races() -> Option<(Detector, ThreadId)> {
    repeated::orders_change();
    races_of(Told::Anything)
}

/// The race detector as [`races`] gives it, to be told what becomes of some memory, and of nothing else.
#[inline(always)]
pub fn races_of_memory() -> Option<(Detector, ThreadId)> {
    races_of(Told::Memory)
}

/// The race detector as [`races`] gives it, to be told of a plain access.
#[inline(always)]
pub fn races_of_access() -> Option<(Detector, ThreadId)> {
    races_of(Told::Accesses)
}

#[inline(always)]
fn races_of(told: Told) -> Option<(Detector, ThreadId)> {
    let rt = runtime();
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe {
        if !(*rt).judging.is_on() {
            return None;
        }
        Some((Detector(&raw mut (*rt).races, told), (*rt).current))
    }
}

/// Whether the race detector is told of plain accesses and judges the page around `address` as one.
#[inline(always)]
pub fn is_page_whole(address: u64) -> bool {
    let rt = runtime();
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*rt).judging.is_on() && (*rt).races.is_page_whole(address) }
}

/// The race detector, for what the program or a finding learns from it; `None` with `--races=off`.
pub fn ask_races() -> Option<(Detector, ThreadId)> {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe { (*runtime()).judging.ask() };
    races()
}
