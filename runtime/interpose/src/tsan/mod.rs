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
//! | [`memory`] | functions of libc's that copy, set and compare memory |
//! | [`turns`] | loops that may wait |
//! | [`announce`] | calls of other functions, inline assembly |
//! | here | what marks functions and modules |

mod announce;
mod atomic;
mod memory;
mod plain;
mod turns;

use core::arch::naked_asm;
pub use turns::Visits;

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

/// Text of a naked function: notes, while the program is explored, that the thread stands before an access with so many
/// arguments ([`turns::visit`]). The function names `active = sym ACTIVE` and `visit = sym turns::visit`; the label 8 is
/// used.
macro_rules! note_stand {
    ($arguments:literal) => {
        concat!(
            "cmp byte ptr [rip + {active}], 0\n",
            "je 8f\n",
            "mov r11d, ",
            $arguments,
            "\ncall {visit}\n",
            "8:\n",
        )
    };
}
use note_stand;

/// Exports a function under its name, with its place as a further argument: the body goes on in the module's function of
/// the same name. With a number of arguments, it is an access that may be the head of a loop.
macro_rules! with_place {
    ($register:literal: $($name:ident)+) => {
        $crate::tsan::with_place!(text "", $register: $($name)+);
    };
    ($register:literal, stands $arguments:literal: $($name:ident)+) => {
        $crate::tsan::with_place!(text $crate::tsan::note_stand!($arguments), $register: $($name)+);
    };
    (text $text:expr, $register:literal: $($name:ident)+) => {$(
        const _: () = {
            use self::$name as body;

            /// See its body.
            ///
            /// # Safety
            /// As of its body.
            #[unsafe(naked)]
            #[no_mangle]
            unsafe extern "C" fn $name() {
                core::arch::naked_asm!(
                    $crate::hooks::clean_entry::clear_below!(),
                    $text,
                    $crate::tsan::place_in!($register),
                    "/* {active} {visit} */",
                    "jmp {body}",
                    clears = sym $crate::hooks::clean_entry::CLEARS,
                    begin = sym $crate::hooks::clean_entry::begin,
                    active = sym $crate::engine::runtime::ACTIVE,
                    visit = sym $crate::tsan::turns::visit,
                    body = sym body,
                )
            }
        };
    )+};
}
use with_place;
