//! Functions that begin with a clean stack where states are remembered (`--states`).
//!
//! A thread stands inside a function of the runtime's when a state is taken. The function's frames have parts that are
//! written later, or never, and hold there what other calls left below the stack pointer: values that mean nothing, but
//! would tell two states apart that are the same. So the memory that the frames will have is cleared before they are made,
//! in every function that is exported and in which a thread may stand. Registers that the program will not read again
//! are forgotten with it ([`dead_registers`]).

use crate::engine::by_states::dead_registers;
use core::arch::naked_asm;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_machine::state::Kept;

/// True if states are remembered.
pub(crate) static CLEARS: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Says whether states are remembered. At the root.
pub(crate) fn at_root(is_by_states: bool) {
    CLEARS.store(is_by_states, Ordering::Relaxed);
}

/// The first instructions of a naked function: calls [`begin`] if states are remembered. Registers with arguments stay as
/// they are, and r11, which stand-ins use. The function names `clears = sym CLEARS` and `begin = sym begin`; the label 9
/// is used.
macro_rules! clear_below {
    () => {
        concat!(
            "cmp byte ptr [rip + {clears}], 0\n",
            "je 9f\n",
            "call {begin}\n",
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
                    begin = sym $crate::hooks::clean_entry::begin,
                    body = sym body,
                )
            }
        };
    )+};
}
pub(crate) use clean_entries;

/// Forgets the dead registers of who called, and 4,096 bytes below the stack pointer (twice what is needed up to where a
/// thread waits, with the deepest of stand-ins). Registers that may hold arguments stay as they are.
///
/// # Safety
/// Only called from the entry of an exported function, before that changed the stack.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn begin() {
    naked_asm!(
        "push rax",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "push r8",
        "push r9",
        "push r10",
        "push r11",
        "sub rsp, 128",
        "movups [rsp], xmm0",
        "movups [rsp + 16], xmm1",
        "movups [rsp + 32], xmm2",
        "movups [rsp + 48], xmm3",
        "movups [rsp + 64], xmm4",
        "movups [rsp + 80], xmm5",
        "movups [rsp + 96], xmm6",
        "movups [rsp + 112], xmm7",
        // `dpor_liveness::Caller`: the stack pointer lies above two return addresses and what was saved.
        "lea rax, [rsp + 216]",
        "push rax",
        "push r15",
        "push r14",
        "push r13",
        "push r12",
        "push rbp",
        "push rbx",
        "mov rdi, rsp",
        // Assembly may call with any alignment.
        "mov rbx, rsp",
        "and rsp, -16",
        "call {forget}",
        "mov rsp, rbx",
        "pop rbx",
        "pop rbp",
        "pop r12",
        "pop r13",
        "pop r14",
        "pop r15",
        "add rsp, 8",
        "movups xmm0, [rsp]",
        "movups xmm1, [rsp + 16]",
        "movups xmm2, [rsp + 32]",
        "movups xmm3, [rsp + 48]",
        "movups xmm4, [rsp + 64]",
        "movups xmm5, [rsp + 80]",
        "movups xmm6, [rsp + 96]",
        "movups xmm7, [rsp + 112]",
        "add rsp, 128",
        "pop r11",
        "pop r10",
        "pop r9",
        "pop r8",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "lea rax, [rsp - 4096]",
        "pxor xmm15, xmm15",
        "2:",
        "movups [rax], xmm15",
        "add rax, 16",
        "cmp rax, rsp",
        "jb 2b",
        "pop rax",
        "ret",
        forget = sym dead_registers::forget,
    )
}
