//! Programs that have the processor refuse accesses that are not aligned.

use core::ffi::{c_int, c_void};

/// The flag by which a program has the processor refuse accesses that are not aligned (AC; Intel SDM, volume 1,
/// 3.4.3). The runtime and libc make such accesses: with it the checker cannot go on, nor catch that.
pub(crate) const ALIGNMENT_CHECK: i64 = 1 << 18;

/// Eight bytes of which [`refuse_alignment_check`] reads four that are not aligned.
static ALIGNED: u64 = 0;

/// A step of the program's ended: the process dies here if the program left the flag on, and not wherever the first
/// access is that is not aligned, which is up to the compiler and to what libc chooses for the processor.
#[inline(always)]
pub fn refuse_alignment_check() {
    // SAFETY: four of the eight bytes are read, and nobody writes them.
    unsafe {
        core::arch::asm!("mov {0:e}, dword ptr [{1} + 1]", out(reg) _, in(reg) &raw const ALIGNED,
            options(nostack, preserves_flags));
    }
}

/// The instruction is repeated, and the process dies of its fault, as it does where the handler cannot even run:
/// the system ends a process that faults while the signal is blocked (sigprocmask(2)).
pub(crate) fn leave_uncaught(signal: c_int, context: *mut c_void) {
    // SAFETY: the kernel passes a valid context, which is ours until the handler returns; its mask is one word.
    unsafe {
        let mask = (&raw mut (*context.cast::<libc::ucontext_t>()).uc_sigmask).cast::<u64>();
        *mask |= 1 << (signal - 1);
    }
}
