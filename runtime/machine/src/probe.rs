//! Reads of the program's memory that may not be mapped, without a system call: one load, at an
//! address that the handler of faults knows.
//!
//! ```text
//! load of a word ──→ value
//!      └ SIGSEGV, SIGBUS → [`catch`] → goes on behind the load, without a value
//! ```

use crate::state::Kept;
use crate::sys;
use core::arch::global_asm;
use core::ptr::from_mut;
use core::sync::atomic::{AtomicBool, Ordering};

extern "C" {
    /// Copies the word at rdi to rsi; 1, or 0 if it cannot be read.
    #[link_name = "dpor_rt_probe"]
    fn probe(address: usize, into: *mut u64) -> usize;
    /// The load.
    #[link_name = "dpor_rt_probe_load"]
    fn load();
    /// The place behind the load where it goes on without a value.
    #[link_name = "dpor_rt_probe_failed"]
    fn failed();
}

global_asm!(
    ".text",
    ".p2align 4",
    ".hidden dpor_rt_probe",
    ".globl dpor_rt_probe",
    ".type dpor_rt_probe, @function",
    "dpor_rt_probe:",
    ".cfi_startproc",
    ".hidden dpor_rt_probe_load",
    ".globl dpor_rt_probe_load",
    "dpor_rt_probe_load:",
    "mov rax, [rdi]",
    "mov [rsi], rax",
    "mov eax, 1",
    "ret",
    ".hidden dpor_rt_probe_failed",
    ".globl dpor_rt_probe_failed",
    "dpor_rt_probe_failed:",
    "xor eax, eax",
    "ret",
    ".cfi_endproc",
    ".size dpor_rt_probe, . - dpor_rt_probe",
);

/// The runtime's handler of faults is installed.
static IS_READY: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Lets faults end in [`catch`], from now on.
pub fn begin() {
    IS_READY.store(true, Ordering::Relaxed);
}

/// The word at `address`; `None` if it is not mapped or may not be read. Before [`begin`] the kernel is
/// asked.
#[inline]
pub fn word(address: usize) -> Option<u64> {
    if !IS_READY.load(Ordering::Relaxed) {
        return sys::read_word(address);
    }
    let mut word = 0u64;
    // SAFETY: if the load faults, `catch` lets it fail; the destination is ours.
    let is_read = unsafe { probe(address, from_mut(&mut word)) };
    (is_read == 1).then_some(word)
}

/// A fault: if it is of [`word`]'s load, the registers are changed so that it fails.
pub fn catch(registers: &mut [i64; 23]) -> bool {
    let instruction = &mut registers[libc::REG_RIP as usize];
    let is_load = *instruction == load as *const () as i64;
    if is_load {
        *instruction = failed as *const () as i64;
    }
    is_load
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::PAGE;
    use core::ffi::{c_int, c_void};

    /// A handler that does as the runtime's does: a fault that is not the probe's ends the process.
    unsafe extern "C" fn on_fault(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: the kernel's context of the interrupted thread, writable until the handler returns.
        let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        if !catch(registers) {
            sys::exit_group(3);
        }
    }

    #[test]
    fn a_word_that_is_not_there_has_no_value_with_and_without_the_handler() {
        let start = sys::map(0, 2 * PAGE, libc::MAP_PRIVATE).expect("two pages") as usize;
        // SAFETY: nobody else knows the pages.
        unsafe {
            (start as *mut u64).write(7);
            assert!(sys::protect(start + PAGE, PAGE, libc::PROT_NONE));
        }
        assert_eq!((word(start), word(start + PAGE)), (Some(7), None));
        // SAFETY: all-zero bytes are an action without flags or mask; the handler stays for the process.
        unsafe {
            let mut action: libc::sigaction = core::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO;
            assert_eq!(
                libc::sigaction(libc::SIGSEGV, &action, core::ptr::null_mut()),
                0
            );
        }
        begin();
        assert_eq!((word(start), word(start + PAGE)), (Some(7), None));
    }
}
