//! Where `main` is, and where its frames begin.

use super::functions;
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_machine::state::Kept;

/// The function itself; 0 before libc's start gets it.
pub static MAIN: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// The multiple of 64 KiB on thread 0's stack below which main's frames lie; above it are those of libc's start
/// and what the kernel left for the program, which hardly anybody writes. 0 before main.
pub static STACK_BASE: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// The address below which main's frame and what it calls lie ([`STACK_BASE`]).
pub fn stack_base() -> usize {
    STACK_BASE.load(Ordering::Relaxed)
}

/// Whether `main` has hooks.
pub fn is_main_instrumented() -> bool {
    functions::is_instrumented(MAIN.load(Ordering::Relaxed))
}
