//! Hooks that begin with a clean stack where states are remembered (`--states`).
//!
//! A thread stands inside its hook when a state is taken. The hook's frames have parts that are written later, or never,
//! and hold there what other calls left below the stack pointer: values that mean nothing, but would tell two states
//! apart that are the same. So the memory that the frames will have is cleared before they are made.

use core::sync::atomic::{AtomicBool, Ordering};
use dpor_machine::state::Kept;

/// True if states are remembered.
pub(crate) static CLEARS: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Says whether states are remembered. At the root.
pub(crate) fn at_root(is_by_states: bool) {
    CLEARS.store(is_by_states, Ordering::Relaxed);
}

/// Makes an exported function that clears what its body's frames will be made of (1,024 bytes: twice what they need up to
/// where the thread waits), if states are remembered, and goes on in `made::NAME`, whose arguments and result are its own.
/// Registers with arguments stay as they are.
macro_rules! clean_entry {
    ($name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?) => {
        /// Begins with a clean stack, if that is wanted; see its body.
        ///
        /// # Safety
        /// As of its body.
        #[unsafe(naked)]
        #[no_mangle]
        pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
            core::arch::naked_asm!(
                "cmp byte ptr [rip + {clears}], 0",
                "jne 2f",
                "jmp {body}",
                "2:",
                "lea r11, [rsp - 1024]",
                "pxor xmm15, xmm15",
                "3:",
                "movups [r11], xmm15",
                "add r11, 16",
                "cmp r11, rsp",
                "jb 3b",
                "jmp {body}",
                clears = sym crate::hooks::clean_entry::CLEARS,
                body = sym made::$name,
            )
        }
    };
}
pub(super) use clean_entry;
