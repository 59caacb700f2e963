//! What a function that is a cancellation point returns to its stub.

use core::ffi::{c_int, c_void};
use core::ptr;

/// What a function that is a cancellation point returns to its stub.
#[repr(C)]
pub struct Outcome {
    /// Result of the function in its low 32 bits; [`LEAVE`] if the thread is to leave instead.
    result: u64,
    /// Function of libc to be called instead, with the same arguments; null: none.
    native: *const c_void,
}

/// Bit of [`Outcome::result`] that is set in the value of no `int`: the thread leaves.
pub const LEAVE: u64 = 1 << 32;

impl Outcome {
    /// Makes the outcome of a function that returns `value`.
    pub fn result(value: c_int) -> Self {
        Outcome {
            result: u64::from(value as u32),
            native: ptr::null(),
        }
    }

    /// Makes the outcome of a function whose thread leaves.
    pub fn leave() -> Self {
        Outcome {
            result: LEAVE,
            native: ptr::null(),
        }
    }

    /// libc's function does it.
    pub fn native(function: *const c_void) -> Self {
        Outcome {
            result: 0,
            native: function,
        }
    }

    /// Returns this outcome with another result, if the function has one.
    pub fn map(self, result: impl Fn(c_int) -> c_int) -> Self {
        match self.result == LEAVE || !self.native.is_null() {
            true => self,
            false => Outcome::result(result(self.result as c_int)),
        }
    }
}
