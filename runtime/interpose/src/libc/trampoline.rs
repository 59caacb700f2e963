//! The functions of the table, as the program finds them: first an event, then libc.
//!
//! Each exported function loads its number and joins [`common`], which saves every register that can
//! hold an argument, lets [`enter`] announce the event, restores them and jumps to libc's function.
//! The stack is then as the caller left it, so this works for any signature, variadic ones included.
//!
//! The event comes before the call and the call runs to its end undisturbed: the two are one step.

use super::arguments::{with_saved_registers, Arguments};
use super::{access, addresses, before_root, event, futex, opaque};
use crate::engine::by_states::dead_stack;
use crate::pthread::{cancel, unwinder};
use core::arch::naked_asm;
use dpor_abi::for_each_libc_call;
use dpor_abi::libc_call::CALLS;

/// Announces the call and says where it goes on. Numbers beyond the table: functions that were learnt.
extern "C" fn enter(index: u32, arguments: &Arguments) -> usize {
    if !crate::engine::active() {
        return announce(index, arguments);
    }
    dead_stack::forget();
    let next = announce(index, arguments);
    dead_stack::forget();
    next
}

/// Announces the call and says where it goes on. Its frame is no part of [`enter`]'s, which outlives it.
#[inline(never)]
fn announce(index: u32, arguments: &Arguments) -> usize {
    let index = index as usize;
    let slot = arguments.slot();
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
            return unwinder::cancelled as *const () as usize;
        }
        event::announce(index, &arguments.integer);
        opaque::table_call(index, slot);
    }
    let address = addresses::found(index);
    if address == 0 {
        addresses::missing(CALLS[index].name);
    }
    match is_judged {
        true => access::of_event(index, arguments, slot, address),
        false => address,
    }
}

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
