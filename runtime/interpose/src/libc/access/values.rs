//! The values that a variadic call hands over: what `va_arg` would give.
//!
//! Source: System V ABI for x86-64, 3.5.7.

/// C's `va_list`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct List {
    /// Bytes used of the integer registers' part of the save area, up to 48.
    integers: u32,
    /// Bytes used of the save area with that of the vector registers, up to 176.
    vectors: u32,
    /// Address of the next value on the stack.
    stack: usize,
    /// Address of the save area.
    saved: usize,
}

/// Registers as a function with a `va_list` saves them.
#[repr(C, align(16))]
pub struct Saved {
    integer: [usize; 6],
    vector: [u128; 8],
}

const INTEGERS_END: u32 = 48;
const VECTORS_END: u32 = 176;

impl Saved {
    /// Keeps the registers of a call.
    pub fn new(integer: [usize; 6], vector: [u128; 8]) -> Saved {
        Saved { integer, vector }
    }

    /// Returns the values behind the first `named` integer arguments; further ones are at `stack`.
    /// The list is good as long as `self` stays.
    pub fn list(&self, named: usize, stack: usize) -> List {
        List {
            integers: 8 * named as u32,
            vectors: INTEGERS_END,
            stack,
            saved: core::ptr::from_ref(self) as usize,
        }
    }
}

impl List {
    /// Returns the next integer or pointer.
    ///
    /// # Safety
    /// The call has one more value. The same goes for the other functions.
    pub unsafe fn integer(&mut self) -> usize {
        let at = if self.integers < INTEGERS_END {
            self.integers += 8;
            self.saved + self.integers as usize - 8
        } else {
            self.stack += 8;
            self.stack - 8
        };
        // SAFETY: the call passed a value at `at`, in its saved registers or on its stack, as this
        // function's caller guarantees.
        unsafe { (at as *const usize).read() }
    }

    /// Passes over a `double`.
    pub fn skip_double(&mut self) {
        if self.vectors < VECTORS_END {
            self.vectors += 16;
        } else {
            self.stack += 8;
        }
    }

    /// Passes over a `long double`, which is on the stack, at a multiple of its size.
    pub fn skip_long_double(&mut self) {
        self.stack = self.stack.next_multiple_of(16) + 16;
    }
}
