//! Calls of functions that are not of the calling file, and inline assembly, as `dpor-gcc` announces them.
//!
//! Its assembler step puts a call of one of these functions before each, which finds all registers as the program has
//! them for what comes next, but for r11, and leaves them so: what the compiler wrote does not know of it. In r11 is the
//! function that is called.

use super::{note_stand, turns};
use crate::engine::accesses::uninstrumented;
use crate::hooks;
use crate::hooks::library_calls::__dpor_member;
use crate::process::functions::is_instrumented;
use core::arch::naked_asm;
use dpor_abi::cxx_library::BEHIND_FLAG;
use dpor_model::SiteId;

/// Saves what a call may change, calls `$what` with the place, the function, the address of the slot of the return
/// address and [`Saved`], and puts everything back.
macro_rules! with_all_registers {
    ($what:ident) => {
        with_all_registers!($what, "")
    };
    ($what:ident, $first:expr) => {
        naked_asm!(
            ".cfi_startproc",
            $first,
            "/* {active} {visit} */",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "and rsp, -16",
            "sub rsp, 336",
            "mov [rsp], rax",
            "mov [rsp + 8], rcx",
            "mov [rsp + 16], rdx",
            "mov [rsp + 24], rsi",
            "mov [rsp + 32], rdi",
            "mov [rsp + 40], r8",
            "mov [rsp + 48], r9",
            "mov [rsp + 56], r10",
            "mov [rsp + 64], r11",
            "movaps [rsp + 80], xmm0",
            "movaps [rsp + 96], xmm1",
            "movaps [rsp + 112], xmm2",
            "movaps [rsp + 128], xmm3",
            "movaps [rsp + 144], xmm4",
            "movaps [rsp + 160], xmm5",
            "movaps [rsp + 176], xmm6",
            "movaps [rsp + 192], xmm7",
            "movaps [rsp + 208], xmm8",
            "movaps [rsp + 224], xmm9",
            "movaps [rsp + 240], xmm10",
            "movaps [rsp + 256], xmm11",
            "movaps [rsp + 272], xmm12",
            "movaps [rsp + 288], xmm13",
            "movaps [rsp + 304], xmm14",
            "movaps [rsp + 320], xmm15",
            "mov rdi, [rbp + 8]",
            "bts rdi, 62",
            "mov rsi, r11",
            "lea rdx, [rbp + 8]",
            "mov rcx, rsp",
            "call {what}",
            "movaps xmm0, [rsp + 80]",
            "movaps xmm1, [rsp + 96]",
            "movaps xmm2, [rsp + 112]",
            "movaps xmm3, [rsp + 128]",
            "movaps xmm4, [rsp + 144]",
            "movaps xmm5, [rsp + 160]",
            "movaps xmm6, [rsp + 176]",
            "movaps xmm7, [rsp + 192]",
            "movaps xmm8, [rsp + 208]",
            "movaps xmm9, [rsp + 224]",
            "movaps xmm10, [rsp + 240]",
            "movaps xmm11, [rsp + 256]",
            "movaps xmm12, [rsp + 272]",
            "movaps xmm13, [rsp + 288]",
            "movaps xmm14, [rsp + 304]",
            "movaps xmm15, [rsp + 320]",
            "mov rax, [rsp]",
            "mov rcx, [rsp + 8]",
            "mov rdx, [rsp + 16]",
            "mov rsi, [rsp + 24]",
            "mov rdi, [rsp + 32]",
            "mov r8, [rsp + 40]",
            "mov r9, [rsp + 48]",
            "mov r10, [rsp + 56]",
            "mov r11, [rsp + 64]",
            "leave",
            ".cfi_def_cfa rsp, 8",
            "ret",
            ".cfi_endproc",
            active = sym crate::engine::runtime::ACTIVE,
            visit = sym turns::visit,
            what = sym $what,
        )
    };
}

/// Announces a call of a function that has no effect but events, or that time passes: a loop that only calls such may
/// wait.
///
/// # Safety
/// Called by instrumented code only, right before the call that it announces.
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn __dpor_announce_idle() {
    // It may be the first thing that a turn of a loop does: what it is called for is its first argument.
    with_all_registers!(idle_call, note_stand!(1))
}

/// Announces a call of a function that reads nothing of what threads share.
///
/// # Safety
/// Called by instrumented code only, right before the call that it announces.
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn __dpor_announce() {
    with_all_registers!(call)
}

/// Announces a call of a function that reads what its arguments point to.
///
/// # Safety
/// Called by instrumented code only, right before the call that it announces.
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn __dpor_announce_reader() {
    with_all_registers!(call_of_reader)
}

/// Announces a call of the function in r11, which may read anything.
///
/// # Safety
/// Called by instrumented code only, right before the call that it announces.
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn __dpor_announce_unseen() {
    with_all_registers!(call_unseen)
}

/// Announces a call of the function in r11, which lives in C++'s library and does to objects what r10 says
/// ([`dpor_abi::cxx_library::Call::to_word`], and [`BEHIND_FLAG`]). Comes before the announcement of the call.
///
/// # Safety
/// Called by instrumented code only, right before the call that it announces.
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn __dpor_announce_member() {
    with_all_registers!(member)
}

/// Announces inline assembly that may reach memory.
///
/// # Safety
/// Called by instrumented code only, right before the assembly.
#[unsafe(naked)]
#[no_mangle]
pub unsafe extern "C" fn __dpor_announce_assembly() {
    with_all_registers!(assembly)
}

/// Registers as the announcing call found them.
#[repr(C)]
struct Saved {
    rax: usize,
    rcx: usize,
    rdx: usize,
    rsi: usize,
    rdi: usize,
    r8: usize,
    r9: usize,
    r10: usize,
    r11: usize,
}

extern "C" fn member(site: SiteId, function: usize, _: usize, saved: &Saved) {
    let (rdi, rsi, rdx) = (saved.rdi, saved.rsi, saved.rdx);
    let [first, second, third] = match saved.r10 as u64 & BEHIND_FLAG {
        0 => [rdi, rsi, rdx],
        _ => [rsi, rdx, saved.rcx],
    };
    __dpor_member(saved.r10 as u32, function, first, second, third, site);
}

extern "C" fn idle_call(site: SiteId, _: usize, slot: usize) {
    uninstrumented::announce(site, None, slot);
}

extern "C" fn call(site: SiteId, _: usize, slot: usize) {
    turns::calls_something();
    uninstrumented::announce(site, None, slot);
}

extern "C" fn call_of_reader(site: SiteId, _: usize, slot: usize) {
    turns::calls_something();
    uninstrumented::announce(site, Some(0), slot);
}

extern "C" fn call_unseen(site: SiteId, function: usize, slot: usize) {
    // What a function with hooks does is told by itself.
    if !is_instrumented(function) {
        turns::calls_something();
    }
    uninstrumented::announce(site, Some(function), slot);
}

extern "C" fn assembly(site: SiteId, _: usize, _: usize) {
    turns::calls_something();
    hooks::__dpor_assembly_unknown(site);
}
