//! What libstdc++.so does with memory that threads share, where nobody sees it.
//!
//! Most of C++'s library is in headers and is instrumented with the program. What is in the library has no
//! hooks: its atomic accesses order threads, and nobody would know. The functions here stand in for those
//! of its functions that make such accesses.
//!
//! `std::lock` is in a header, but what it does is better known as a whole ([`lock_all`]).
//!
//! Layouts are those of the Itanium C++ ABI and of libstdc++ from GCC 5 on. A program that has the library
//! in itself (`-static-libstdc++`) does not come here.

mod captured;
mod exception;
pub(crate) mod lock_all;
mod lock_together;
mod thread_exit;
mod value_wait;
mod wanted;

pub(crate) use captured::Captured;
pub(crate) use wanted::Wanted;

/// Body of a naked function: calls `$before` with the first argument, then goes on to the function whose
/// address that returns, with the same first argument and return address. So the stack looks to an
/// unwinder as if the caller had called that function.
macro_rules! before {
    ($before:ident) => {
        core::arch::naked_asm!(
            "push rdi",
            "call {before}",
            "pop rdi",
            "jmp rax",
            before = sym $before,
        )
    };
}
use before;
