//! Cleanup handlers, as programs register them.
//!
//! Source: `pthread.h` of glibc.

use core::ffi::{c_int, c_void};

/// `__pthread_unwind_buf_t`.
#[repr(C)]
pub struct CleanupFrame {
    /// Callee-saved registers as `__sigsetjmp` left them.
    pub(super) registers: [usize; 8],
    /// Whether `__sigsetjmp` saved the signal mask with the registers; always 0.
    pub(super) mask_was_saved: c_int,
    /// The next outer frame.
    pub(super) outer: *mut CleanupFrame,
    /// The innermost handler of [`CleanupHandler`]s when this one was registered.
    pub(super) handler: *mut CleanupHandler,
    pub(super) reserved: [*mut c_void; 2],
}

/// `struct _pthread_cleanup_buffer`.
#[repr(C)]
pub struct CleanupHandler {
    pub(super) routine: Option<unsafe extern "C" fn(*mut c_void)>,
    pub(super) argument: *mut c_void,
    pub(super) cancel_type: c_int,
    pub(super) outer: *mut CleanupHandler,
}

/// Index of the stack pointer in `CleanupFrame::registers`.
const STACK_POINTER: usize = 6;

impl CleanupFrame {
    /// Stack pointer at the `__sigsetjmp`. glibc keeps it rotated and combined with the secret at
    /// `fs:0x30` (`PTR_MANGLE`).
    pub(super) fn stack_pointer(&self) -> usize {
        let secret: usize;
        // SAFETY: reads one word of the thread descriptor.
        unsafe {
            core::arch::asm!("mov {}, fs:[0x30]", out(reg) secret,
                options(nostack, readonly, preserves_flags));
        }
        self.registers[STACK_POINTER].rotate_right(17) ^ secret
    }
}
