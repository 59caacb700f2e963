//! The three homes of what the runtime remembers, as types: each `static` of the runtime is in one of them, and a
//! test over the source (testsuite/tests/suite/statics.rs) refuses one that is not.
//!
//! An execution ends, and the program goes back to a checkpoint. What becomes of a word of the runtime's then
//! depends on where it lies and on how states are taken back (`--checkpoint`):
//!
//! | | `snapshot` | `fork`: another process goes on | `restart`: the process ends | `-j`: a new worker |
//! |---|---|---|---|---|
//! | [`RolledBack`] | as at the checkpoint | as at the checkpoint | as at the root | as at the root |
//! | [`Kept`] | stays | as when the checkpoint was taken | as at the root | a copy of its own |
//! | [`Kept`] of a pointer to the [arena](crate::arena) | stays | stays | stays | a copy of its own |
//! | [`PerStep`] | is not looked at | is not looked at | is not looked at | is not looked at |
//!
//! So:
//! - what describes the program's state (which threads exist, what the clocks show) is [`RolledBack`]: a place
//!   in the world (engine/src/world.rs);
//! - what is true of all executions is [`Kept`]: addresses, options, what the root was like, caches of what could be
//!   computed again;
//! - what an execution teaches those that come after it is in the arena, and a static holds no more than the
//!   pointer: `Kept<AtomicPtr<_>>` or `Kept<Shared<_>>`. A [`Kept`] word would be lost with the process of the
//!   execution: it may hold what each process learns anew, and what errs to the safe side if it is lost;
//! - what hooks, interposed functions and signal handlers tell each other while one thread runs is [`PerStep`].
//!
//! All three are as cheap as what they hold: the same bytes, and no code.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ops::Deref;

/// A static that no rollback touches: it is set once (by the start, or at the root), or it gathers what is true of
/// all executions. The module says how far that goes.
///
/// It changes through what it holds: an atomic, an array of atomics, [`Plain`] memory.
#[repr(transparent)]
pub struct Kept<T>(T);

impl<T> Kept<T> {
    /// With its first value.
    pub const fn new(value: T) -> Self {
        Kept(value)
    }
}

impl<T> Deref for Kept<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// A static whose value means something within one step of one thread only: from an event to the thread's next
/// one, no other fiber runs in between, and nothing is taken back.
///
/// Nobody reads what an earlier step left. Either the step's beginning writes it (`resume` and `begin_step` in
/// engine/src/program.rs), or it goes from a hook to the call that follows, which takes it, or from a function to one
/// that it calls; its comment says which. So rollbacks, forks and workers need not care for it.
#[repr(transparent)]
pub struct PerStep<T>(T);

impl<T> PerStep<T> {
    /// The static with the value that means nothing.
    pub const fn new(value: T) -> Self {
        PerStep(value)
    }
}

impl<T> Deref for PerStep<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// A place at a fixed address that every rollback takes back, as it does the program's own pages: a snapshot
/// copies it, a forked process has the copy of the checkpoint it was forked from.
///
/// Statics are no such place: the runtime's image is left out of snapshots (engine/src/root.rs). Raw on purpose: the
/// place is there only once it has been mapped, and fibers switch between any two accesses, so a reference must
/// not be held across a step.
pub struct RolledBack<T> {
    address: usize,
    holds: PhantomData<*mut T>,
}

// SAFETY: it is a number; whoever goes through the pointer that it makes of it answers for that.
unsafe impl<T> Sync for RolledBack<T> {}

impl<T> RolledBack<T> {
    /// The place at this address, which is mapped writable and private before any use, and is no part of what
    /// snapshots leave out.
    pub const fn at(address: usize) -> Self {
        RolledBack {
            address,
            holds: PhantomData,
        }
    }

    /// The address of the value in the world.
    #[inline(always)]
    pub const fn get(&self) -> *mut T {
        self.address as *mut T
    }
}

/// Memory of a static that is no atomic, for what one thread of the system uses: the one that runs the program's
/// fibers, the engine and their signal handlers. It is reached by pointer only, so that nobody holds a reference
/// who does not say why.
#[repr(transparent)]
pub struct Plain<T>(UnsafeCell<T>);

// SAFETY: it only hands out a pointer; whoever goes through it says why nobody else does.
unsafe impl<T> Sync for Plain<T> {}

impl<T> Plain<T> {
    /// With its first value.
    pub const fn new(value: T) -> Self {
        Plain(UnsafeCell::new(value))
    }

    /// The address of the value.
    #[inline(always)]
    pub const fn get(&self) -> *mut T {
        self.0.get()
    }
}
