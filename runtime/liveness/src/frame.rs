//! What is known of a frame at a return address.

use crate::Registers;

/// How many registers a call has to preserve, besides the stack pointer (System V, x86-64): rbx, rbp, r12, r13, r14, r15,
/// in this order.
pub const REGISTERS: usize = 6;

/// Numbers of these registers in call frame information (System V ABI, x86-64, figure 3.36).
pub(crate) const DWARF_NUMBERS: [u16; REGISTERS] = [3, 6, 12, 13, 14, 15];

/// Number of the stack pointer there.
pub(crate) const STACK_POINTER: u16 = 7;

/// Number of the frame pointer there.
pub(crate) const FRAME_POINTER: u16 = 6;

/// Number of the return address there.
pub(crate) const RETURN_ADDRESS: u16 = 16;

/// The register from which a frame is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// The stack pointer, as it is when the call has returned.
    StackPointer,
    /// rbp.
    FramePointer,
}

/// A function's frame, at an address to which a call in it returns. Where the frame *ends* is the stack pointer before its
/// caller's call pushed the return address (the canonical frame address of DWARF), so that the function's own return
/// address is in the word before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The register from which the end is found.
    pub base: Base,
    /// Bytes from what the register holds to the end.
    pub offset: i64,
    /// By register: where the frame keeps what its caller had in it, in bytes from the end; `None`: the register is still
    /// its caller's.
    pub saved: [Option<i64>; REGISTERS],
    /// The registers that the function has saved, and of which it does not read what they hold.
    pub dead: Registers,
}
