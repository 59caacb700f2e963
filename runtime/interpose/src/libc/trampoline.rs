//! The functions of the table, as the program finds them: first an event, then libc.
//!
//! Each exported function loads its number and joins [`common`], which saves every register that can
//! hold an argument, lets [`enter`] announce the event, restores them and jumps to libc's function.
//! The stack is then as the caller left it, so this works for any signature, variadic ones included.
//!
//! The event comes before the call and the call runs to its end undisturbed: the two are one step.

use super::{access, before_root, event, futex, opaque};
use crate::pthread::{cancel, unwind};
use crate::real;
use crate::state::Kept;
use core::arch::naked_asm;
use core::ffi::CStr;
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_abi::for_each_libc_call;
use dpor_abi::libc_call::CALLS;

/// Registers that can hold arguments (System V, x86-64), as [`common`] saves them.
#[repr(C, align(16))]
pub struct Arguments {
    /// rdi, rsi, rdx, rcx, r8, r9.
    pub integer: [usize; 6],
    /// Number of vector registers used by a variadic call.
    rax: usize,
    padding: usize,
    /// The registers xmm0 to xmm7.
    pub vector: [u128; 8],
}

/// Addresses of libc's functions, once known.
static ADDRESSES: Kept<[AtomicUsize; CALLS.len()]> =
    Kept::new([const { AtomicUsize::new(0) }; CALLS.len()]);

/// Looks all functions up, so that none is looked up while the program is explored.
pub fn resolve_all() {
    for index in 0..CALLS.len() {
        look_up(index);
    }
}

/// Returns the address of libc's function number `index`; 0 if it was never called.
pub fn address_of(index: usize) -> usize {
    ADDRESSES[index].load(Ordering::Relaxed)
}

/// libc's function; 0 if it has none of that name.
fn look_up(index: usize) -> usize {
    let mut name = [0u8; 64];
    let text = CALLS[index].name.as_bytes();
    name[..text.len()].copy_from_slice(text);
    let Ok(name) = CStr::from_bytes_until_nul(&name) else {
        return 0;
    };
    // Natively there is no world that could keep its place.
    let is_ours = index == Index::strtok as usize && crate::process::options().is_some();
    let address = match is_ours {
        true => access::token::strtok as *const () as usize,
        false => real::next(name) as usize,
    };
    ADDRESSES[index].store(address, Ordering::Relaxed);
    address
}

/// Returns the address of the return address of the call whose registers these are: above them lies
/// rbp.
pub fn slot_of(arguments: &Arguments) -> usize {
    core::ptr::from_ref(arguments) as usize + size_of::<Arguments>() + 8
}

/// Announces the call and says where it goes on. Numbers beyond the table: functions that were learnt.
extern "C" fn enter(index: u32, arguments: &Arguments) -> usize {
    let index = index as usize;
    let slot = slot_of(arguments);
    if index >= CALLS.len() {
        return opaque::learnt_call(index, slot);
    }
    if index == Index::syscall as usize {
        if let Some(futex) = futex::instead_of_syscall(&arguments.integer) {
            return futex;
        }
    }
    let mut is_judged = false;
    if !crate::engine::active() && before_root::changes_files(CALLS[index].name, &arguments.integer)
    {
        crate::engine::begin();
    }
    if crate::engine::active() {
        is_judged = access::is_by_program(slot);
        if cancel::point_of(CALLS[index].name) {
            return unwind::cancelled as *const () as usize;
        }
        event::announce(index, &arguments.integer);
        opaque::table_call(index, slot);
    }
    let address = match ADDRESSES[index].load(Ordering::Relaxed) {
        0 => look_up(index),
        known => known,
    };
    if address == 0 {
        missing(CALLS[index].name);
    }
    match is_judged {
        true => access::of_event(index, arguments, slot, address),
        false => address,
    }
}

/// Ends the process: the program was linked against a newer libc than it runs with.
#[cold]
pub fn missing(name: &str) -> ! {
    for text in ["dpor: libc has no function ", name, "\n"] {
        dpor_machine::sys::write_all(2, text.as_bytes());
    }
    dpor_machine::sys::exit_group(2)
}

/// Body of a naked function: saves every register that can hold an argument, calls `$enter` with r11 and
/// the saved registers, restores them and jumps to what it answered.
macro_rules! with_saved_registers {
    ($enter:ident) => {
        naked_asm!(
            "push rbp",
            "mov rbp, rsp",
            "sub rsp, 192",
            "mov [rsp], rdi",
            "mov [rsp + 8], rsi",
            "mov [rsp + 16], rdx",
            "mov [rsp + 24], rcx",
            "mov [rsp + 32], r8",
            "mov [rsp + 40], r9",
            "mov [rsp + 48], rax",
            "movaps [rsp + 64], xmm0",
            "movaps [rsp + 80], xmm1",
            "movaps [rsp + 96], xmm2",
            "movaps [rsp + 112], xmm3",
            "movaps [rsp + 128], xmm4",
            "movaps [rsp + 144], xmm5",
            "movaps [rsp + 160], xmm6",
            "movaps [rsp + 176], xmm7",
            "mov edi, r11d",
            "mov rsi, rsp",
            "call {enter}",
            "mov r11, rax",
            "mov rdi, [rsp]",
            "mov rsi, [rsp + 8]",
            "mov rdx, [rsp + 16]",
            "mov rcx, [rsp + 24]",
            "mov r8, [rsp + 32]",
            "mov r9, [rsp + 40]",
            "mov rax, [rsp + 48]",
            "movaps xmm0, [rsp + 64]",
            "movaps xmm1, [rsp + 80]",
            "movaps xmm2, [rsp + 96]",
            "movaps xmm3, [rsp + 112]",
            "movaps xmm4, [rsp + 128]",
            "movaps xmm5, [rsp + 144]",
            "movaps xmm6, [rsp + 160]",
            "movaps xmm7, [rsp + 176]",
            "leave",
            "jmp r11",
            enter = sym $enter,
        )
    };
}

pub(super) use with_saved_registers;

/// Number of the function in r11; everything else as at the call.
///
/// # Safety
/// Only jumped to, from a stub that was called as the function.
#[unsafe(naked)]
pub unsafe extern "C" fn common() {
    with_saved_registers!(enter)
}

macro_rules! functions {
    ($($rule:tt $note:literal : $($name:ident)*;)*) => {
        /// The number of each function: its position in the table.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names of C functions")]
        #[repr(u32)]
        enum Index {
            $($($name,)*)*
        }

        // C symbols are a namespace of their own: in Rust these names would hide others.
        mod exported {
            use super::{common, naked_asm, Index};
            $($(
                /// libc's function of this name, behind its event.
                ///
                /// # Safety
                /// The arguments are what libc's function of this name asks for.
                #[unsafe(naked)]
                #[no_mangle]
                pub unsafe extern "C" fn $name() {
                    naked_asm!(
                        "mov r11d, {index}",
                        "jmp {common}",
                        index = const Index::$name as u32,
                        common = sym common,
                    )
                }
            )*)*
        }
    };
}

for_each_libc_call!(functions);
