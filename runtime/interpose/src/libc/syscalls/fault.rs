//! A system call that is answered here and not by the kernel, with an address that the program may
//! not use: EFAULT, as the kernel says it, instead of a fault of the runtime.
//!
//! [`guarded`] notes where the stack pointer is before the call is answered. A fault on the way ends
//! in the handler of faults, which asks [`catch`]: the answer is given up, and `guarded` returns as if
//! it had been EFAULT. What is given up are frames of [`super::dispatch`], which own nothing but
//! memory of the arena.

use super::{dispatch, Args, SyscallOutcome};
use crate::engine::signals;
use crate::state::PerStep;
use core::arch::global_asm;
use core::ffi::c_void;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Stack pointer in `dpor_rt_guarded`; 0 while no call is being answered. Signal handlers of one OS
/// thread use it; an answer does not lead to another system call that is dispatched.
static GUARD: PerStep<AtomicUsize> = PerStep::new(AtomicUsize::new(0));

extern "C" {
    /// Stores the stack pointer at rdx and calls rdi with rsi; 0, or 1 if that was given up.
    #[link_name = "dpor_rt_guarded"]
    fn call_guarded(
        function: unsafe extern "C" fn(*mut c_void),
        call: *mut c_void,
        guard: *mut usize,
    ) -> usize;
    /// The code at which execution goes on, with the noted stack pointer, when an answer is given
    /// up.
    #[link_name = "dpor_rt_given_up"]
    fn given_up();
}

// Six registers are the callee's to keep (System V, x86-64); with the return address and 8 bytes more
// the stack is aligned for the call.
global_asm!(
    ".text",
    ".hidden dpor_rt_guarded",
    ".globl dpor_rt_guarded",
    "dpor_rt_guarded:",
    "push rbx",
    "push rbp",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    "mov [rdx], rsp",
    "mov rax, rdi",
    "mov rdi, rsi",
    "call rax",
    "xor eax, eax",
    "2:",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbp",
    "pop rbx",
    "ret",
    ".hidden dpor_rt_given_up",
    ".globl dpor_rt_given_up",
    "dpor_rt_given_up:",
    "mov eax, 1",
    "jmp 2b",
);

/// A call and its answer.
struct Call {
    number: i64,
    args: Args,
    active: bool,
    outcome: SyscallOutcome,
}

/// [`dispatch`], with EFAULT where an address of the program's cannot be used.
pub fn guarded(number: i64, args: &mut Args, active: bool) -> SyscallOutcome {
    unsafe extern "C" fn answer(call: *mut c_void) {
        // SAFETY: the call below, which nobody else uses.
        let call = unsafe { &mut *call.cast::<Call>() };
        call.outcome = dispatch(call.number, &mut call.args, call.active);
    }
    let mut call = Call {
        number,
        args: *args,
        active,
        outcome: super::error(::libc::EFAULT),
    };
    // SAFETY: the function is called with the pointer it takes; on both ways back registers and
    // stack are as they were.
    let is_given_up = unsafe { call_guarded(answer, (&raw mut call).cast(), GUARD.as_ptr()) } != 0;
    GUARD.store(0, Ordering::Relaxed);
    if is_given_up {
        return super::error(::libc::EFAULT);
    }
    *args = call.args;
    call.outcome
}

/// Changes the registers at a fault so that the call which is being answered, if one is, is given
/// up. Returns whether one is.
pub fn catch(registers: &mut [i64; 23]) -> bool {
    let guard = GUARD.load(Ordering::Relaxed);
    // Calls are answered on the signal stack. Anything else was written by the program, and going there
    // would fault again, for ever.
    let (start, end) = signals::stack_range();
    if !(start..end).contains(&guard) {
        return false;
    }
    registers[::libc::REG_RSP as usize] = guard as i64;
    registers[::libc::REG_RIP as usize] = given_up as *const () as i64;
    true
}
