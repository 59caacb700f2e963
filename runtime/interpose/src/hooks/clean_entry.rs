//! Functions that begin with a clean stack where states are remembered (`--states`).
//!
//! A thread stands inside a function of the runtime's when a state is taken. The function's frames have parts that are
//! written later, or never, and hold there what other calls left below the stack pointer: values that mean nothing, but
//! would tell two states apart that are the same. So the memory that the frames will have is cleared before they are made,
//! in every function that is exported and in which a thread may stand.

use core::sync::atomic::{AtomicBool, Ordering};
use dpor_machine::state::Kept;

/// True if states are remembered.
pub(crate) static CLEARS: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Says whether states are remembered. At the root.
pub(crate) fn at_root(is_by_states: bool) {
    CLEARS.store(is_by_states, Ordering::Relaxed);
}

/// The first instructions of a naked function: clears 2,048 bytes below the stack pointer (twice what hooks need up to
/// where the thread waits) if states are remembered. Registers with arguments stay as they are; r10 and xmm15, which have
/// none, do not. The function names `clears = sym CLEARS`; the labels 8 and 9 are used.
macro_rules! clear_below {
    () => {
        concat!(
            "cmp byte ptr [rip + {clears}], 0\n",
            "je 9f\n",
            "lea r10, [rsp - 2048]\n",
            "pxor xmm15, xmm15\n",
            "8:\n",
            "movups [r10], xmm15\n",
            "add r10, 16\n",
            "cmp r10, rsp\n",
            "jb 8b\n",
            "9:\n",
        )
    };
}
pub(crate) use clear_below;

/// Exports functions of this module under their names: each begins with a clean stack, if that is wanted
/// ([`clear_below`]), and goes on in the function, which finds arguments and the return address as its caller left them.
macro_rules! clean_entries {
    ($($(#[$attribute:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$attribute])*
        const _: () = {
            use self::$name as body;

            /// Begins with a clean stack, if that is wanted; see its body.
            ///
            /// # Safety
            /// As of its body.
            #[unsafe(naked)]
            #[no_mangle]
            unsafe extern "C" fn $name() {
                core::arch::naked_asm!(
                    $crate::hooks::clean_entry::clear_below!(),
                    "jmp {body}",
                    clears = sym $crate::hooks::clean_entry::CLEARS,
                    body = sym body,
                )
            }
        };
    )+};
}
pub(crate) use clean_entries;
