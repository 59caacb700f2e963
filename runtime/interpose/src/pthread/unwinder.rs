//! The unwinder, and the ways into the frames that are written for it ([`super::unwind`]).
//!
//! Source: Itanium C++ ABI, "Exception Handling", level I.

use super::failure;
use super::state::Start;
use core::arch::naked_asm;
use core::ffi::{c_int, c_void};

/// `_Unwind_Exception`. Lives in the world, because the frames it was made in go away.
#[repr(C, align(16))]
pub struct Exception {
    class: u64,
    cleanup: Option<extern "C" fn(c_int, *mut Exception)>,
    private: [u64; 2],
}

/// `_Unwind_Context`.
#[repr(C)]
pub struct Context {
    opaque: [u8; 0],
}

/// Bits of the actions, and results, of personalities and stop functions.
pub const CLEANUP_PHASE: c_int = 2;
/// Action of the unwinder: there is no further frame.
pub const END_OF_STACK: c_int = 16;
/// `_URC_NO_REASON`: a stop function wants to go on.
pub const GO_ON: c_int = 0;
/// `_URC_CONTINUE_UNWIND`: a personality has nothing more to do in its frame.
pub const CONTINUE_UNWIND: c_int = 8;

extern "C" {
    fn _Unwind_GetCFA(context: *mut Context) -> usize;
    fn dpor_pthread_exit();
}

/// The class in the exception's first word. C++ handlers see a foreign exception.
const CLASS: u64 = u64::from_be_bytes(*b"dporexit");

impl Exception {
    /// Returns an exception with which a leaving thread unwinds its own stack.
    pub const fn leaving() -> Self {
        Exception {
            class: CLASS,
            cleanup: Some(swallowed),
            private: [0; 2],
        }
    }
}

/// The code at which a thread goes on that is cancelled: with the stack as at the beginning of the
/// function that it called.
#[unsafe(naked)]
pub extern "C" fn cancelled() {
    naked_asm!("mov rdi, -1", "jmp {}", sym dpor_pthread_exit)
}

/// Aborts, because a `catch (...)` ended the unwinding instead of rethrowing. glibc aborts here
/// too.
extern "C" fn swallowed(_: c_int, _: *mut Exception) {
    failure::fail_abort(
        "a catch (...) swallowed the unwinding of pthread_exit (exception not rethrown)",
    );
}

/// Stack pointer of the frame to be unwound, at its pending call.
///
/// # Safety
/// `context` is the one a stop function or personality was called with.
pub unsafe fn stack_pointer(context: *mut Context) -> usize {
    // SAFETY: `context` is the one that the unwinder passed to a stop function or personality,
    // which has not returned yet.
    unsafe { _Unwind_GetCFA(context) }
}

extern "C" {
    /// Calls `body(argument)` in the lowest frame of a stack, after storing at `bottom` where
    /// [`return_to`] finds this frame.
    #[link_name = "dpor_call_thread"]
    pub fn call_thread(body: Start, argument: *mut c_void, bottom: *mut usize) -> *mut c_void;
    /// Makes the live [`call_thread`] that stored `bottom` return `value`.
    #[link_name = "dpor_return_to"]
    pub fn return_to(bottom: usize, value: *mut c_void) -> !;
}
