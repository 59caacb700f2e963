//! Which callee-saved registers of a function are dead where a call in it returns, and where the frame keeps what its
//! caller had in them: read off machine code and call frame information.
//!
//! A register that a call has to preserve holds what the function computed last, whether it will be read again or not. A
//! checker that compares states byte by byte takes two of them for different because of such a value, though they behave
//! alike. A register is *dead* at an instruction if on every way from there it is written before it is read (Muchnick,
//! Advanced Compiler Design and Implementation, section 14.1.3: live variables).
//!
//! ```text
//! mov  ebx, [count]     rbx is live: it will be stored
//! call hook
//! inc  ebx
//! mov  [count], ebx
//! call unlock           rbx is dead: what comes next writes it
//! ```
//!
//! What is not understood is live: jumps through a register, code without call frame information, code outside of the
//! function. Ways through exceptions count: a call may go on at its landing pad.

mod flow;
mod landing_pads;
mod part;
mod walk;

pub use part::Part;
pub use walk::{Caller, Frames};

use dpor_machine::call_frames::KEPT_COUNT;

/// A set of callee-saved registers: bit k is the k-th of rbx, rbp, r12, r13, r14, r15.
pub(crate) type Registers = u8;

/// All callee-saved registers.
pub(crate) const ALL: Registers = (1 << KEPT_COUNT) - 1;
