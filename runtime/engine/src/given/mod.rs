//! What the start of the process gives to the engine: the parts above it, as what it asks of them.

pub mod posix_functions;
pub mod several_processes;
pub mod stand_ins;

use crate::concern::Concerns;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use dpor_machine::state::Kept;
use posix_functions::Posix;
use several_processes::Several;
use stand_ins::System;

/// The parts above the engine.
pub struct Given {
    /// What has to be done when exploration begins, and when the program goes back in time.
    pub concerns: &'static Concerns,
    /// POSIX's functions.
    pub posix: &'static dyn Posix,
    /// What stands in for the kernel and for libc.
    pub system: &'static dyn System,
    /// Several processes on one search.
    pub several: &'static dyn Several,
    /// Makes the point where thread 0 stands the root, on which exploration begins ([`crate::root::make`]).
    pub make_root: fn(),
}

/// What was given; null before the start, and with `off=1`.
static GIVEN: Kept<AtomicPtr<Given>> = Kept::new(AtomicPtr::new(ptr::null_mut()));

/// Gives the parts to the engine. At the start of the process, once.
pub fn install(given: &'static Given) {
    GIVEN.store(ptr::from_ref(given).cast_mut(), Ordering::Relaxed);
}

/// What was given, if the process is one that explores.
#[inline]
fn if_given() -> Option<&'static Given> {
    // SAFETY: null, or a static that never changes, since the start of the process.
    unsafe { GIVEN.load(Ordering::Relaxed).as_ref() }
}

#[inline]
fn given() -> &'static Given {
    if_given().expect("[dpor internal bug] the start gives the parts before exploration begins")
}

/// All concerns. The process is one that explores: [`install`] was called.
#[inline]
pub fn concerns() -> &'static Concerns {
    given().concerns
}

/// POSIX's functions. The process is one that explores: [`install`] was called.
#[inline]
pub fn posix() -> &'static dyn Posix {
    given().posix
}

/// What stands in for the kernel. The process is one that explores: [`install`] was called.
#[inline]
pub fn system() -> &'static dyn System {
    given().system
}

/// Several processes on one search. The process is one that explores: [`install`] was called.
#[inline]
pub fn several() -> &'static dyn Several {
    given().several
}

/// Makes the point where thread 0 stands the root. Does nothing in a process that does not explore.
pub fn make_root() {
    if let Some(given) = if_given() {
        (given.make_root)();
    }
}
