//! What several frames can come to, borrowed for one closure at a time.
//!
//! Two live `&mut` to one thing are undefined behaviour, also on one OS thread: LLVM takes an argument that is one
//! for the only way to what it points to, and may leave out or delay stores. So no function returns a reference to
//! the runtime's state. It returns a copy of what it holds, or a [`ScopedCell`], whose borrows end with a closure.
//!
//! *Rules.* In a closure nothing else is borrowed from this module, nothing is an event (the fiber would be
//! suspended with its borrow, and another one comes the same way), and nothing ends the execution
//! (`crate::unsupported` and its like never return, and the report looks at the same state). What is wanted for any
//! of these is copied out.
//!
//! *Who else may look.* One OS thread runs, and fibers switch in events only. System calls of the program are
//! answered in a signal handler, which interrupts the program and never the runtime. Handlers of page faults also
//! interrupt closures, those that copy what is the program's: they go on without having come here, or leave the
//! frame for ever. Its borrow is over then, and what it held is plain memory, half written at worst.
//!
//! *Check.* With debug assertions, a borrow that overlaps another one is a bug of ours. Not otherwise: a frame that
//! is left in the midst of a closure cannot say so, and a flag that it leaves would accuse the report that comes
//! after it. Whoever leaves such a frame calls [`all_are_over`]. The check is no part of what is lent, which stays
//! plain memory: all-zero bytes are a value of the world, and go back in time with it.

use core::sync::atomic::{AtomicIsize, Ordering};
use dpor_machine::state::PerStep;

/// A pointer to something that frames other than the running one can come to, borrowed for one
/// closure at a time.
pub struct ScopedCell<T>(*mut T);

impl<T> Clone for ScopedCell<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ScopedCell<T> {}

impl<T> ScopedCell<T> {
    /// Makes a cell of what is at `place`.
    ///
    /// # Safety
    /// It is valid as long as the result is used, on the one OS thread; whoever else comes to it has no reference
    /// while a method runs.
    #[inline(always)]
    pub const unsafe fn at(place: *mut T) -> Self {
        ScopedCell(place)
    }

    /// Borrows the value to look at it, while `look` runs.
    #[inline(always)]
    pub fn look<R>(self, look: impl FnOnce(&T) -> R) -> R {
        begin(false);
        // SAFETY: valid, as `at` was told; nobody changes it meanwhile (module docs).
        let result = look(unsafe { &*self.0 });
        end(false);
        result
    }

    /// Borrows the value to change it, while `change` runs.
    #[inline(always)]
    pub fn change<R>(self, change: impl FnOnce(&mut T) -> R) -> R {
        begin(true);
        // SAFETY: valid, as `at` was told; there is no other borrow (module docs).
        let result = change(unsafe { &mut *self.0 });
        end(true);
        result
    }
}

impl<T: Copy> ScopedCell<T> {
    /// Returns a copy of the value.
    #[inline(always)]
    pub fn get(self) -> T {
        self.look(|value| *value)
    }

    /// Replaces the value.
    #[inline(always)]
    pub fn set(self, value: T) {
        self.change(|place| *place = value);
    }
}

/// Number of borrows that look; −1: one that changes.
static BORROWED: PerStep<AtomicIsize> = PerStep::new(AtomicIsize::new(0));

#[inline(always)]
fn begin(changes: bool) {
    if cfg!(debug_assertions) {
        let borrowed = BORROWED.load(Ordering::Relaxed);
        let is_free = borrowed == 0 || borrowed > 0 && !changes;
        assert!(
            is_free,
            "[dpor internal bug] the runtime borrows what it has lent already"
        );
        let now = if changes { -1 } else { borrowed + 1 };
        BORROWED.store(now, Ordering::Relaxed);
    }
}

#[inline(always)]
fn end(changes: bool) {
    if cfg!(debug_assertions) {
        let left = if changes { 1 } else { -1 };
        BORROWED.fetch_add(left, Ordering::Relaxed);
    }
}

/// Forgets all borrows: the frames that borrowed something do not go on.
#[inline(always)]
pub fn all_are_over() {
    if cfg!(debug_assertions) {
        BORROWED.store(0, Ordering::Relaxed);
    }
}
