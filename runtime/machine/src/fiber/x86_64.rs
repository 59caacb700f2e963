//! Everything about fibers that is assembly. One architecture, one file.
//!
//! A suspended context is its stack pointer. What lies there, from low to high addresses:
//!
//! ```text
//! rsp → +0   mxcsr (4 bytes), x87 control word (2 bytes), padding (2 bytes)
//!       +8   r15   +16 r14   +24 r13   +32 r12   +40 rbx   +48 rbp
//!       +56  return address
//! ```
//!
//! [`switch`] pushes exactly this and pops it from the other stack. The thread pointer (FS base) is
//! not part of it: callers set it, since it never changes for a fiber.

use core::arch::{asm, global_asm};
use core::ffi::{c_char, c_int};

extern "C" {
    /// Suspends the running context into `*save` and goes on in `load`.
    ///
    /// # Safety
    /// `load` must be a suspended context that nothing else runs.
    #[link_name = "dpor_rt_switch"]
    pub fn switch(save: *mut usize, load: usize);

    /// Goes on in the suspended context `load` and forgets the running one.
    ///
    /// # Safety
    /// `load` must be a suspended context that nothing else runs, and the running context is not needed any more.
    #[link_name = "dpor_rt_resume"]
    pub fn resume(load: usize) -> !;

    /// Calls `body` with the three arguments behind it, on the same stack from the next lower multiple
    /// of 64 KiB on, which it stores at `base` before. What lies above it is not written again.
    ///
    /// The kernel puts the arguments and the environment at the top of the stack. A page boundary
    /// below them depends on their length, so that a replay, whose command is another one, may have
    /// the local variables of main at other addresses than the check; as long as they are shorter
    /// than 60 KiB, this boundary does not.
    ///
    /// # Safety
    /// The arguments must be what `body` asks for, and `base` must be writable.
    #[link_name = "dpor_rt_call_on_boundary"]
    pub fn call_on_boundary(
        body: extern "C" fn(c_int, *mut *const c_char, *mut *const c_char) -> !,
        count: c_int,
        arguments: *mut *const c_char,
        environment: *mut *const c_char,
        base: *mut usize,
    ) -> !;

    /// First instruction of a new fiber: calls `r12` with argument `r13`. Never returns.
    #[link_name = "dpor_rt_fiber_entry"]
    fn entry();
}

global_asm!(
    ".text",
    ".p2align 4",
    ".hidden dpor_rt_switch",
    ".globl dpor_rt_switch",
    ".type dpor_rt_switch, @function",
    "dpor_rt_switch:",
    ".cfi_startproc",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    "stmxcsr [rsp]",
    "fnstcw [rsp + 4]",
    "mov [rdi], rsp",
    "mov rsp, rsi",
    "2:",
    "ldmxcsr [rsp]",
    "fldcw [rsp + 4]",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".cfi_endproc",
    ".size dpor_rt_switch, . - dpor_rt_switch",
    // The second half of `switch`, for signal handlers that end what they interrupted.
    ".p2align 4",
    ".hidden dpor_rt_resume",
    ".globl dpor_rt_resume",
    ".type dpor_rt_resume, @function",
    "dpor_rt_resume:",
    "mov rsp, rdi",
    "jmp 2b",
    ".size dpor_rt_resume, . - dpor_rt_resume",
    ".p2align 4",
    ".hidden dpor_rt_call_on_boundary",
    ".globl dpor_rt_call_on_boundary",
    ".type dpor_rt_call_on_boundary, @function",
    "dpor_rt_call_on_boundary:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "and rsp, -65536",
    "mov [r8], rsp",
    "mov rax, rdi",
    "mov edi, esi",
    "mov rsi, rdx",
    "mov rdx, rcx",
    "call rax",
    "ud2",
    ".cfi_endproc",
    ".size dpor_rt_call_on_boundary, . - dpor_rt_call_on_boundary",
    // The end of every fiber's stack: the undefined return address stops unwinders here. The first
    // instruction is for them: they look up the one before a return address.
    ".p2align 4",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "nop",
    ".hidden dpor_rt_fiber_entry",
    ".globl dpor_rt_fiber_entry",
    ".type dpor_rt_fiber_entry, @function",
    "dpor_rt_fiber_entry:",
    "xor ebp, ebp",
    "mov rdi, r13",
    "call r12",
    "ud2",
    ".cfi_endproc",
    ".size dpor_rt_fiber_entry, . - dpor_rt_fiber_entry",
);

/// x87 and SSE control words as the ABI has them at process start.
pub const CONTROL_AT_START: usize = 0x0000_037f_0000_1f80;

/// The control words of a suspended context.
///
/// # Safety
/// `context` must be a suspended context, that is, an address that [`switch`] or [`prepare`] stored.
#[inline]
pub unsafe fn control_of(context: usize) -> usize {
    // SAFETY: the first word of a context (module picture).
    unsafe { (context as *const usize).read() }
}

/// Lays out a fresh context below `top` that will call `body(argument)` under the floating-point
/// control words `control`; returns its stack pointer.
///
/// # Safety
/// The 128 bytes below `top` must be writable and unused; `top` is 16-aligned.
pub unsafe fn prepare(
    top: usize,
    body: extern "C" fn(usize) -> !,
    argument: usize,
    control: usize,
) -> usize {
    let frame = top - 80;
    let words = [
        control,
        0,                           // r15
        0,                           // r14
        argument,                    // r13
        body as usize,               // r12
        0,                           // rbx
        0,                           // rbp
        entry as *const () as usize, // return address of `switch`
        0,                           // the entry has no caller
    ];
    for (k, word) in words.into_iter().enumerate() {
        // SAFETY: 72 bytes within the caller's 128.
        unsafe { ((frame + 8 * k) as *mut usize).write(word) };
    }
    frame
}

/// The running thread pointer.
#[inline(always)]
pub fn thread_pointer() -> usize {
    let value: usize;
    // SAFETY: reads a register; the kernel enables FSGSBASE (checked at start).
    unsafe { asm!("rdfsbase {}", out(reg) value, options(nomem, nostack, preserves_flags)) };
    value
}

/// Changes it.
///
/// # Safety
/// Until it is changed back, only code that expects `value`'s thread-local storage may run.
#[inline(always)]
pub unsafe fn set_thread_pointer(value: usize) {
    // SAFETY: the instruction changes a register only; the caller promises which code runs until it is changed back.
    unsafe { asm!("wrfsbase {}", in(reg) value, options(nostack, preserves_flags)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a fiber and its creator tell each other.
    struct Meeting {
        creator: usize,
        fiber: usize,
        count: u32,
        control: u32,
    }

    fn control() -> u32 {
        let mut value = 0u32;
        // SAFETY: stores the register to a local variable.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack)) };
        value
    }

    /// Counts each time it goes on.
    extern "C" fn count(meeting: usize) -> ! {
        let meeting = meeting as *mut Meeting;
        loop {
            // SAFETY: the creator is suspended, and its variable lives as long as the test.
            unsafe {
                (*meeting).count += 1;
                (*meeting).control = control();
                switch(&raw mut (*meeting).fiber, (*meeting).creator);
            }
        }
    }

    #[test]
    fn a_fiber_goes_on_where_it_stopped_with_floating_point_control_of_its_own() {
        const TOWARDS_ZERO: u32 = 3 << 13;
        let mut stack = vec![0u128; 4096];
        let top = stack.as_mut_ptr_range().end as usize;
        let mut meeting = Meeting {
            creator: 0,
            fiber: 0,
            count: 0,
            control: 0,
        };
        let meeting = &raw mut meeting;
        let mine = control();
        let fibers = CONTROL_AT_START | TOWARDS_ZERO as usize;
        // SAFETY: the stack and the variable live as long as the fiber runs, which is during `switch` only.
        unsafe {
            (*meeting).fiber = prepare(top, count, meeting as usize, fibers);
            assert_eq!(control_of((*meeting).fiber), fibers);
            for round in 1..=3 {
                switch(&raw mut (*meeting).creator, (*meeting).fiber);
                assert_eq!((*meeting).count, round);
                assert_eq!((*meeting).control & TOWARDS_ZERO, TOWARDS_ZERO);
                assert_eq!(control(), mine);
            }
        }
    }

    #[test]
    fn a_suspended_fiber_that_is_copied_back_does_again_what_it_did() {
        let mut stack = vec![0u128; 4096];
        let top = stack.as_mut_ptr_range().end as usize;
        let mut meeting = Meeting {
            creator: 0,
            fiber: 0,
            count: 0,
            control: 0,
        };
        let meeting = &raw mut meeting;
        // SAFETY: `meeting` and the fiber's stack live to the end of this test, and nothing else runs either context.
        unsafe {
            (*meeting).fiber = prepare(top, count, meeting as usize, CONTROL_AT_START);
            switch(&raw mut (*meeting).creator, (*meeting).fiber);
            let (saved, at) = (stack.clone(), (*meeting).fiber);
            switch(&raw mut (*meeting).creator, (*meeting).fiber);
            assert_eq!((*meeting).count, 2);
            stack.copy_from_slice(&saved);
            ((*meeting).fiber, (*meeting).count) = (at, 1);
            switch(&raw mut (*meeting).creator, (*meeting).fiber);
            assert_eq!((*meeting).count, 2);
        }
    }
}
