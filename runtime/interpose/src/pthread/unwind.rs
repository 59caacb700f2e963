//! Stack unwinding through the runtime's own frames.
//!
//! Three kinds of frames need more than Rust gives with `panic = "abort"`:
//!
//! - [`call_thread`] is the lowest frame of a fiber. Its return address is marked undefined, so the
//!   unwinder (and a backtrace) stops there: an uncaught C++ exception calls `std::terminate`, as it
//!   does on libc's own threads. [`return_to`] comes back to it from any depth.
//! - [`call_guarded`] runs the routine of a `pthread_once`. Its personality frees the lock when an
//!   exception or `pthread_exit` passes through.
//! - [`force`] unwinds the whole stack for `pthread_exit`, running C++ destructors on the way.
//!
//! All functions of ours that such an unwinding may pass through are `extern "C-unwind"`.
//!
//! ```text
//! call_thread, after its pushes:           call_guarded:
//!   return address (undefined)               return address
//!   rbp rbx r12 r13 r14 r15                  rbp            <- rbp
//!   (8 bytes of alignment)  <- *bottom       control word's address   [rbp - 8]
//!                                            (8 bytes)      <- CFA of the callee
//! ```
//!
//! Source: System V ABI for x86-64, 3.2 and 6.2; Itanium C++ ABI, "Exception Handling", level I.

use super::once;
use core::arch::global_asm;
use core::ffi::{c_int, c_void};

/// A routine without arguments, which may be left by an exception.
pub type Routine = unsafe extern "C-unwind" fn();
/// A function of a thread's lowest frame.
pub type Body = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
/// Decides at every frame whether to go on; gets the same pointer at each.
pub type Stop = extern "C-unwind" fn(c_int, c_int, u64, *mut Exception, *mut Context, *mut c_void) -> c_int;

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
const CLEANUP_PHASE: c_int = 2;
/// There is no further frame.
pub const END_OF_STACK: c_int = 16;
/// `_URC_NO_REASON`: a stop function wants to go on.
pub const GO_ON: c_int = 0;
const CONTINUE_UNWIND: c_int = 8;

extern "C-unwind" {
    fn _Unwind_ForcedUnwind(exception: *mut Exception, stop: Stop, argument: *mut c_void) -> c_int;
    fn _Unwind_GetCFA(context: *mut Context) -> usize;
}

/// The class in the exception's first word: "dpor" and "exit". C++ handlers see a foreign exception.
const CLASS: u64 = u64::from_be_bytes(*b"dporexit");

/// Unwinds the running thread's stack. Returns only if the unwinder met a frame it cannot read.
///
/// # Safety
/// `exception` stays valid as long as the thread; every frame up to the stop may be abandoned.
pub unsafe extern "C-unwind" fn force(exception: *mut Exception, stop: Stop) {
    // SAFETY: the caller's pointer; the unwinder is libgcc's, which std links.
    unsafe {
        exception.write(Exception { class: CLASS, cleanup: Some(swallowed), private: [0; 2] });
        _Unwind_ForcedUnwind(exception, stop, core::ptr::null_mut());
    }
}

/// A `catch (...)` ended the unwinding instead of rethrowing. glibc aborts here too.
extern "C" fn swallowed(_: c_int, _: *mut Exception) {
    super::failure::fail_abort("a catch (...) swallowed the unwinding of pthread_exit (exception not rethrown)");
}

/// Stack pointer of the frame to be unwound, at its pending call.
///
/// # Safety
/// `context` is the one a stop function or personality was called with.
pub unsafe fn stack_pointer(context: *mut Context) -> usize {
    // SAFETY: the caller's.
    unsafe { _Unwind_GetCFA(context) }
}

extern "C-unwind" {
    /// Calls `body(argument)` in the lowest frame of a stack, after storing at `bottom` where
    /// [`return_to`] finds this frame.
    #[link_name = "dpor_call_thread"]
    pub fn call_thread(body: Body, argument: *mut c_void, bottom: *mut usize) -> *mut c_void;
    /// Makes the live [`call_thread`] that stored `bottom` return `value`.
    #[link_name = "dpor_return_to"]
    pub fn return_to(bottom: usize, value: *mut c_void) -> !;
    /// Calls `routine`; if it does not return normally, [`once::abandon`]s `control`.
    #[link_name = "dpor_call_guarded"]
    pub fn call_guarded(routine: Routine, control: *mut c_void);
}

/// Personality of [`call_guarded`]'s frame.
extern "C" fn guarded_personality(_: c_int, actions: c_int, _: u64, _: *mut Exception, context: *mut Context) -> c_int {
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
    ".hidden dpor_call_guarded",
    ".globl dpor_call_guarded",
    ".type dpor_call_guarded, @function",
    "dpor_call_guarded:",
    ".cfi_startproc",
    // 0x1b: a signed 4-byte distance from here.
    ".cfi_personality 0x1b, {personality}",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "push rsi",
    "sub rsp, 8",
    "call rdi",
    "leave",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size dpor_call_guarded, . - dpor_call_guarded",
    personality = sym guarded_personality,
);
