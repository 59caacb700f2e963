//! A stack that each process has for itself, whichever stack the engine is on.
//!
//! With `--checkpoint=fork` processes share the engine's: who forks, or waits while another is the engine,
//! stands here.

use crate::runtime::runtime;
use dpor_machine::fiber::x86_64;
use dpor_machine::state::{Kept, Plain};

/// Bytes of the stack: nothing deep is called on it.
const STACK_BYTES: usize = 1 << 16;

#[repr(align(4096))]
struct Stack(Plain<[u8; STACK_BYTES]>);

/// Nothing is on it but while [`call`] runs.
static STACK: Kept<Stack> = Kept::new(Stack(Plain::new([0; STACK_BYTES])));

/// Leaves the engine's stack and calls `body(argument)`. Returns once a process calls [`back`], in that
/// one.
/// # Safety
/// The caller is on the engine's context, and what is on the engine's stack does not change until [`back`] is called.
pub unsafe fn call(body: extern "C" fn(usize) -> !, argument: usize) {
    let top = STACK.0.get() as usize + STACK_BYTES;
    // SAFETY: nothing is on the other stack; by the caller's promise this is the engine's context, and its stack stays
    // as it is.
    unsafe {
        let other = x86_64::prepare(top, body, argument, x86_64::CONTROL_AT_START);
        x86_64::switch(&raw mut (*runtime()).engine_aside, other);
    }
}

/// Goes on where [`call`] left the engine.
///
/// # Safety
/// [`call`] left the engine before, and no other process goes on with the same memory ([`x86_64::resume`]).
pub unsafe fn back() -> ! {
    // SAFETY: `engine_aside` is the context that `call` suspended; by the caller's promise nobody else resumes it.
    unsafe { x86_64::resume((*runtime()).engine_aside) }
}
