//! Stack unwinding through the runtime's own frames.
//!
//! Rust compiled with `panic = "abort"` lets nothing unwind through a frame of its own. So the frames
//! that a C++ exception or `pthread_exit` passes through are written here:
//!
//! - [`super::unwinder::call_thread`] is the lowest frame of a fiber. Its return address is marked undefined, so the
//!   unwinder (and a backtrace) stops there: an uncaught C++ exception calls `std::terminate`, as it
//!   does on libc's own threads. [`super::unwinder::return_to`] comes back to it from any depth.
//! - `pthread_once` runs the caller's routine. Its personality frees the lock when the routine is
//!   left by unwinding.
//! - `pthread_exit` and `__pthread_unwind_next` unwind the whole stack, running C++ destructors on
//!   the way. The unwinder asks [`leave::stop`] at every frame.
//!
//! ```text
//! call_thread, after its pushes:           pthread_once:
//!   return address (undefined)               return address
//!   rbp rbx r12 r13 r14 r15                  rbp            <- rbp
//!   (8 bytes of alignment)  <- *bottom       control word's address   [rbp - 8]
//!                                            routine        <- CFA of the callee
//! ```
//!
//! Source: System V ABI for x86-64, 3.2 and 6.2; Itanium C++ ABI, "Exception Handling", level I.

use super::unwinder::{stack_pointer, Context, Exception, CLEANUP_PHASE, CONTINUE_UNWIND};
use super::{leave, once};
use crate::hooks::clean_entry::{begin, clear_below, CLEARS};
use core::arch::{global_asm, naked_asm};
use core::ffi::c_int;

extern "C" {
    fn _Unwind_ForcedUnwind();
    fn dpor_pthread_exit();
    fn dpor_pthread_unwind_next();
    fn dpor_pthread_once();
    fn dpor_thrd_exit();
}

/// Exported by Rust, because the linker exports nothing else from a library like ours.
macro_rules! exported {
    ($($(#[$attribute:meta])* $name:ident = $body:ident;)*) => {$(
        $(#[$attribute])*
        #[no_mangle]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            naked_asm!(clear_below!(), "jmp {body}", clears = sym CLEARS, begin = sym begin, body = sym $body)
        }
    )*};
}

exported! {
    /// `void pthread_exit(void *result)`
    ///
    /// # Safety
    /// The running thread's frames may all be left.
    pthread_exit = dpor_pthread_exit;
    /// `void __pthread_unwind_next(__pthread_unwind_buf_t *frame)`: goes on leaving.
    ///
    /// # Safety
    /// Called by the expansion of `pthread_cleanup_push` only.
    __pthread_unwind_next = dpor_pthread_unwind_next;
    /// `int pthread_once(pthread_once_t *control, void (*routine)(void))`
    ///
    /// # Safety
    /// `control` points to a `pthread_once_t`.
    pthread_once = dpor_pthread_once;
    /// `pthread_once` under the name by which old binaries know it.
    ///
    /// # Safety
    /// `control` points to a `pthread_once_t`.
    __pthread_once = dpor_pthread_once;
    /// `void call_once(once_flag *flag, void (*routine)(void))`, with the same control word.
    ///
    /// # Safety
    /// `flag` points to a `once_flag`.
    call_once = dpor_pthread_once;
    /// `void thrd_exit(int result)`
    ///
    /// # Safety
    /// The running thread's frames may all be left.
    thrd_exit = dpor_thrd_exit;
}

/// Personality of `pthread_once`'s frame.
extern "C" fn once_personality(
    _: c_int,
    actions: c_int,
    _: u64,
    _: *mut Exception,
    context: *mut Context,
) -> c_int {
    if actions & CLEANUP_PHASE != 0 {
        // SAFETY: the unwinder's context; the picture above says where the address lies.
        let control = unsafe { ((stack_pointer(context) + 8) as *const usize).read() };
        once::abandon(control);
    }
    CONTINUE_UNWIND
}

global_asm!(
    ".text",
    ".hidden dpor_call_thread",
    ".globl dpor_call_thread",
    ".type dpor_call_thread, @function",
    "dpor_call_thread:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "push rbp",
    ".cfi_adjust_cfa_offset 8",
    "push rbx",
    ".cfi_adjust_cfa_offset 8",
    "push r12",
    ".cfi_adjust_cfa_offset 8",
    "push r13",
    ".cfi_adjust_cfa_offset 8",
    "push r14",
    ".cfi_adjust_cfa_offset 8",
    "push r15",
    ".cfi_adjust_cfa_offset 8",
    "sub rsp, 8",
    ".cfi_adjust_cfa_offset 8",
    "mov [rdx], rsp",
    "mov rax, rdi",
    "mov rdi, rsi",
    "call rax",
    "2:",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".cfi_endproc",
    ".size dpor_call_thread, . - dpor_call_thread",
    ".hidden dpor_return_to",
    ".globl dpor_return_to",
    ".type dpor_return_to, @function",
    "dpor_return_to:",
    "mov rsp, rdi",
    "mov rax, rsi",
    "jmp 2b",
    ".size dpor_return_to, . - dpor_return_to",
    // pthread_exit(result): `begin_exit` returns the exception in rax, or null and libc's function
    // in rdx.
    ".hidden dpor_pthread_exit",
    ".globl dpor_pthread_exit",
    ".type dpor_pthread_exit, @function",
    "dpor_pthread_exit:",
    ".cfi_startproc",
    "push rdi",
    ".cfi_adjust_cfa_offset 8",
    "call {begin_exit}",
    "3:",
    "pop rdi",
    ".cfi_adjust_cfa_offset -8",
    "test rax, rax",
    "jnz 4f",
    "jmp rdx",
    "4:",
    "push rdi",
    ".cfi_adjust_cfa_offset 8",
    "mov rdi, rax",
    "lea rsi, [rip + {stop}]",
    "xor edx, edx",
    "call {force}",
    // A frame without unwind information: what lies below it cannot be unwound.
    "call {end_of_stack}",
    "ud2",
    ".cfi_endproc",
    ".size dpor_pthread_exit, . - dpor_pthread_exit",
    // thrd_exit(result): the same with an int, as wide as a pointer.
    ".hidden dpor_thrd_exit",
    ".globl dpor_thrd_exit",
    ".type dpor_thrd_exit, @function",
    "dpor_thrd_exit:",
    ".cfi_startproc",
    "movsxd rdi, edi",
    "jmp dpor_pthread_exit",
    ".cfi_endproc",
    ".size dpor_thrd_exit, . - dpor_thrd_exit",
    // __pthread_unwind_next(frame): the same, from another beginning.
    ".hidden dpor_pthread_unwind_next",
    ".globl dpor_pthread_unwind_next",
    ".type dpor_pthread_unwind_next, @function",
    "dpor_pthread_unwind_next:",
    ".cfi_startproc",
    "push rdi",
    ".cfi_adjust_cfa_offset 8",
    "call {continue_exit}",
    "jmp 3b",
    ".cfi_endproc",
    ".size dpor_pthread_unwind_next, . - dpor_pthread_unwind_next",
    // pthread_once(control, routine): `enter` returns 0 (done), 1 (run it), or libc's function.
    ".hidden dpor_pthread_once",
    ".globl dpor_pthread_once",
    ".type dpor_pthread_once, @function",
    "dpor_pthread_once:",
    ".cfi_startproc",
    // 0x1b: a signed 4-byte distance from here.
    ".cfi_personality 0x1b, {personality}",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "push rdi",
    "push rsi",
    "mov rdx, rsp",
    "call {enter}",
    "cmp rax, 1",
    "ja 6f",
    "jb 5f",
    "call [rbp - 16]",
    "mov rdi, [rbp - 8]",
    "call {complete}",
    "5:",
    "xor eax, eax",
    ".cfi_remember_state",
    "leave",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_restore_state",
    "6:",
    "mov rdi, [rbp - 8]",
    "mov rsi, [rbp - 16]",
    "leave",
    ".cfi_def_cfa rsp, 8",
    "jmp rax",
    ".cfi_endproc",
    ".size dpor_pthread_once, . - dpor_pthread_once",
    begin_exit = sym leave::begin_exit,
    continue_exit = sym leave::continue_exit,
    end_of_stack = sym leave::end_of_stack,
    stop = sym leave::stop,
    force = sym _Unwind_ForcedUnwind,
    enter = sym once::enter,
    complete = sym once::complete,
    personality = sym once_personality,
);
