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

/// The place where the runtime's knowledge is published: null until it is installed, once, at the root.
pub struct Shared<T>(AtomicPtr<T>);

impl<T> Shared<T> {
    /// A place in which nothing is installed yet.
    pub const fn nothing() -> Self {
        Shared(AtomicPtr::new(core::ptr::null_mut()))
    }

    /// The pointer to what is installed, for a fiber or a handler; null as long as nothing is.
    #[inline(always)]
    pub fn get(&self) -> *mut T {
        self.0.load(Ordering::Relaxed)
    }

    /// Installs the value, which is never freed.
    pub fn install(&self, value: Box<T>) {
        self.0.store(Box::into_raw(value), Ordering::Relaxed);
    }

    /// The engine's side of what is installed; `None` if nothing is.
    ///
    /// # Safety
    /// This is called once in a process. Whoever has the result lets fibers run only while it is borrowed as a whole,
    /// so that no reference made by [`Between::get`] is alive while a fiber uses the pointer of [`Shared::get`].
    pub unsafe fn engine(&self) -> Option<Between<T>> {
        NonNull::new(self.get()).map(Between)
    }
}

/// The engine's side of the knowledge, for the time between two steps.
pub struct Between<T>(NonNull<T>);

impl<T> Between<T> {
    /// Borrows the knowledge to change it, until the next step at the latest.
    #[inline(always)]
    pub fn get(&mut self) -> &mut T {
        // SAFETY: the one value of its kind is borrowed, so the engine has no other reference; no fiber
        // runs as long as the result lives, and handlers that interrupt the engine do not look here.
        unsafe { self.0.as_mut() }
    }

    /// Borrows the knowledge to read it, until the next step at the latest.
    #[inline(always)]
    pub fn look(&self) -> &T {
        // SAFETY: the value was leaked by `install` and is never freed; `self` is borrowed, so no step runs meanwhile,
        // and nobody writes.
        unsafe { self.0.as_ref() }
    }

    /// The pointer for the switch to a fiber, during which nobody may hold a reference.
    #[inline(always)]
    pub fn pointer(&mut self) -> *mut T {
        self.0.as_ptr()
    }
}
