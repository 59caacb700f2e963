//! Functions of libc that were learnt to be events: the program's calls of them go through the
//! trampoline of the table of functions, as if they were in it.
//!
//! A call of another object's function reads its address from the caller's table of offsets, one word
//! for all calls of that function. The word is changed to a stub, which loads the function's number
//! and joins the trampoline. Only words that are constant once the object is loaded (RELRO) are
//! changed: a rollback does not touch them. A call through any other word, or through a pointer,
//! stays as it was; its system calls are events one by one.

use super::running_call::{self, Object};
use super::{known, FUNCTIONS_MAX};
use crate::libc::trampoline;
use crate::state::Kept;
use core::arch::global_asm;
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_abi::libc_call::CALLS;
use dpor_machine::sys::{self, PAGE};

const STUB_BYTES: usize = 16;

extern "C" {
    #[link_name = "dpor_rt_learnt"]
    fn stubs();
}

// One stub after the other, each with the number of a function: those after the table's.
global_asm!(
    ".text",
    ".p2align 4",
    ".hidden dpor_rt_learnt",
    ".globl dpor_rt_learnt",
    "dpor_rt_learnt:",
    ".set dpor_rt_number, {first}",
    ".rept {count}",
    ".p2align 4",
    "movl $dpor_rt_number, %r11d",
    "jmp {common}",
    ".set dpor_rt_number, dpor_rt_number + 1",
    ".endr",
    ".p2align 4",
    first = const CALLS.len(),
    count = const FUNCTIONS_MAX,
    common = sym trampoline::common,
    options(att_syntax),
);

/// Number of the learnt functions that go through their stubs in this process.
static REDIRECTED: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Redirects calls of all functions that were learnt to their stubs, also those that another process or an earlier
/// search learnt. When an execution begins.
pub fn redirect_learnt() {
    known().look(|known| redirect(&known.functions));
}

/// Redirects calls of these functions, in this order ever, to their stubs. Between executions.
fn redirect(functions: &[usize]) {
    let first = REDIRECTED.swap(functions.len(), Ordering::Relaxed);
    for (k, &function) in functions.iter().enumerate().skip(first) {
        let stub = stubs as *const () as usize + k * STUB_BYTES;
        running_call::objects()
            .iter()
            .for_each(|object| change(object, function, stub));
    }
}

/// Types of relocations whose word is an address and nothing else (System V ABI, x86-64).
const R_X86_64_GLOB_DAT: u64 = 6;
const R_X86_64_JUMP_SLOT: u64 = 7;

/// Changes the words of an object that are the address of `function`.
fn change(object: &Object, function: usize, stub: usize) {
    if object.is_libc || object.is_runtime {
        return;
    }
    for &(table, bytes) in &object.relocations {
        for k in 0..bytes / size_of::<::libc::Elf64_Rela>() {
            // SAFETY: `bytes` bytes of relocations of a loaded object.
            let relocation = unsafe { &*(table as *const ::libc::Elf64_Rela).add(k) };
            let kind = relocation.r_info & 0xffff_ffff;
            let word = object.base + relocation.r_offset as usize;
            if matches!(kind, R_X86_64_GLOB_DAT | R_X86_64_JUMP_SLOT) && object.is_constant(word) {
                change_word(word, function, stub);
            }
        }
    }
}

fn change_word(word: usize, from: usize, to: usize) {
    let page = word & !(PAGE - 1);
    let writable = ::libc::PROT_READ | ::libc::PROT_WRITE;
    // SAFETY: an aligned word of a loaded object, which the linker made read-only; no fiber runs.
    unsafe {
        if (word as *const usize).read() == from && sys::protect(page, PAGE, writable) {
            (word as *mut usize).write(to);
            sys::protect(page, PAGE, ::libc::PROT_READ);
        }
    }
}
