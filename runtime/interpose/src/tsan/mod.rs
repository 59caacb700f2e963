//! The calls that compilers insert with `-fsanitize=thread`, for programs that are linked with this runtime instead of
//! ThreadSanitizer's.
//!
//! ```text
//!   gcc -fsanitize=thread ──► calls __tsan_* ──► here ──► the hooks of the pass (`crate::hooks`)
//!   dpor-gcc's assembler step ──► calls __dpor_announce* before calls of other functions
//! ```
//!
//! A plain or volatile access is told of right before it is made, as the pass's hooks are; an atomic one is made here. No
//! such call says where it stands: its place is its return address ([`dpor_abi::return_site`]), which the functions, all
//! naked, hand on before anything is on the stack.
//!
//! **Source**: the functions that gcc's `sanitizer.def` and LLVM's `ThreadSanitizer.cpp` name, with the orders of C11
//! as numbers (`relaxed` 0 to `seq_cst` 5).
//!
//! | part | what |
//! |---|---|
//! | [`plain`] | plain and volatile accesses, virtual table pointers |
//! | [`atomic`] | atomic accesses and fences |
//! | [`announce`] | calls of other functions, inline assembly |
//! | here | what marks functions and modules |

mod announce;
mod atomic;
mod plain;

use core::arch::naked_asm;

/// The running function is instrumented. Called by its caller's place, which is on the stack, too.
#[no_mangle]
pub extern "C" fn __tsan_func_entry(_caller: u64) {}

/// The running function is about to return.
#[no_mangle]
pub extern "C" fn __tsan_func_exit() {}

/// A module is loaded.
#[no_mangle]
pub extern "C" fn __tsan_init() {}

/// Until [`__tsan_ignore_thread_end`], accesses of the thread are not judged.
///
/// # Safety
/// As of `dpor_ignore_begin`, which it is.
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn __tsan_ignore_thread_begin() {
    naked_asm!("jmp {}", sym crate::annotations::dpor_ignore_begin)
}

/// Ends what [`__tsan_ignore_thread_begin`] began.
///
/// # Safety
/// As of `dpor_ignore_end`, which it is.
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn __tsan_ignore_thread_end() {
    naked_asm!("jmp {}", sym crate::annotations::dpor_ignore_end)
}

/// Makes the return address a place, in a register.
macro_rules! place_in {
    ($register:literal) => {
        concat!("mov ", $register, ", [rsp]\n", "bts ", $register, ", 62\n")
    };
}
use place_in;

// The text above has the number.
const _: () = assert!(dpor_abi::return_site::BIT == 62);
