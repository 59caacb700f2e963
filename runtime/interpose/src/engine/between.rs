//! Knowledge that the engine and the program's fibers share, one after the other.
//!
//! ```text
//!   engine: Between::get ── &mut T, let go ──► step ── switch ──► fiber: Shared::get ── (*pointer).field
//!                                                ◄── switch ──
//! ```
//!
//! All run on one thread of the system, so nothing races; but a reference that the engine held while a
//! fiber writes would still be wrong: the compiler may keep what is behind a `&mut` in registers, since
//! nobody else may look there. So the engine has a value, [`Between`], whose borrows end before a step
//! begins (the step borrows the whole value), and fibers and signal handlers have a pointer, of which they
//! use one place at a time.
//!
//! Nothing here needs the system, so that it can be run by Miri (runtime/explorer/tests).

use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, Ordering};

/// Where the knowledge is, once it is there.
pub struct Shared<T>(AtomicPtr<T>);

impl<T> Shared<T> {
    /// Nothing is there.
    pub const fn nothing() -> Self {
        Shared(AtomicPtr::new(core::ptr::null_mut()))
    }

    /// What is there, for a fiber or a handler; null: nothing.
    #[inline(always)]
    pub fn get(&self) -> *mut T {
        self.0.load(Ordering::Relaxed)
    }

    /// Puts it there, for good.
    pub fn install(&self, value: Box<T>) {
        self.0.store(Box::into_raw(value), Ordering::Relaxed);
    }

    /// The engine's side of it. `None`: nothing is there.
    ///
    /// # Safety
    /// It is asked for once. Whoever has it lets fibers run only while it is borrowed as a whole.
    pub unsafe fn engine(&self) -> Option<Between<T>> {
        NonNull::new(self.get()).map(Between)
    }
}

/// The engine's side, for the time between two steps.
pub struct Between<T>(NonNull<T>);

impl<T> Between<T> {
    /// To change it.
    #[inline(always)]
    pub fn get(&mut self) -> &mut T {
        // SAFETY: the one value of its kind is borrowed, so the engine has no other reference; no fiber
        // runs as long as the result lives, and handlers that interrupt the engine do not look here.
        unsafe { self.0.as_mut() }
    }

    /// To read it.
    #[inline(always)]
    pub fn look(&self) -> &T {
        // SAFETY: as in `get`.
        unsafe { self.0.as_ref() }
    }

    /// For the switch to a fiber, during which nobody may hold a reference.
    #[inline(always)]
    pub fn pointer(&mut self) -> *mut T {
        self.0.as_ptr()
    }
}
