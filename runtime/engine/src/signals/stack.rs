//! The alternate stack on which all handlers run.

use crate::signals::context::registers;
use core::ffi::c_void;
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_machine::snapshot::Range;
use dpor_machine::state::Kept;
use dpor_machine::sys;

/// Bytes of the alternate stack.
pub(crate) const STACK_BYTES: usize = 1 << 20;
static STACK: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// The alternate stack, which the snapshot must leave alone.
pub fn stack_range() -> Range {
    let start = STACK.load(Ordering::Relaxed);
    (start, start.wrapping_add(2 * STACK_BYTES))
}

/// Maps the stack, and describes it for sigaltstack(2).
pub(crate) fn map() -> libc::stack_t {
    let Some(stack) = sys::map(0, 2 * STACK_BYTES, libc::MAP_PRIVATE | libc::MAP_NORESERVE) else {
        crate::process::refuse("no memory for the signal stack");
    };
    STACK.store(stack as usize, Ordering::Relaxed);
    libc::stack_t {
        // The lower half is there to be overflowed into (`fault::own_stack_overflowed`).
        ss_sp: stack.wrapping_add(STACK_BYTES).cast(),
        ss_flags: 0,
        ss_size: STACK_BYTES,
    }
}

/// Whether the interrupted code was a handler itself.
pub(crate) fn is_on_signal_stack(context: *mut c_void) -> bool {
    let (start, end) = stack_range();
    (start..end).contains(&(registers(context)[libc::REG_RSP as usize] as usize))
}
