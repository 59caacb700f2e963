//! From the handler of a system call back to the thread that makes it, for an event before the call.
//!
//! The handler runs on the signal stack, which all fibers share, so a thread cannot wait there. It
//! returns instead to `dpor_rt_before_call` on the thread's own stack, with rcx the address of the
//! `syscall` instruction: the instruction destroys rcx and r11 anyway. Everything else the kernel
//! keeps, so it is kept here too: flags, general registers, and the extended state as far as programs
//! use it without asking (x87, SSE, AVX, AVX-512). Then the instruction is executed again, or the
//! thread goes on after it, if the call was answered here: a wait on a futex, a use of a channel, a timer.
//!
//! ```text
//! stack pointer of the program
//!       -128   red zone
//!       ...    address of the instruction, flags, rax rdi rsi rdx r8 r9 r10 rbp
//!       ...    extended state, 64-aligned: 2816 bytes
//! ```
//!
//! XSAVE says, too, which components the processor holds to be in use. That depends on what the kernel did with them
//! meanwhile (a tick of the engine's timer, a switch to another process), and would tell apart states that are the same.
//! It writes all components whether they are in use or not: where states are remembered all are said to be in use, and
//! what XSAVE leaves out of the area is zero.

use super::{running_call, GRANTED};
use crate::engine;
use crate::hooks::clean_entry::CLEARS;
use crate::libc::{access, channel, futex, timers};
use crate::state::PerStep;
use core::arch::naked_asm;
use core::sync::atomic::{AtomicBool, Ordering};
use dpor_model::Kind;

/// Bytes of `syscall`, and of `int 0x80`.
const INSTRUCTION_BYTES: i64 = 2;
const RED_ZONE: i64 = 128;

/// Changes the interrupted registers so that the thread makes an event and then this call again.
pub fn redirect(registers: &mut [i64; 23]) {
    registers[::libc::REG_RCX as usize] = registers[::libc::REG_RIP as usize] - INSTRUCTION_BYTES;
    registers[::libc::REG_RSP as usize] -= RED_ZONE;
    registers[::libc::REG_RIP as usize] = before_call as *const () as i64;
}

/// Changes the interrupted registers so that the thread answers this call itself, on its stack.
pub fn redirect_answered(registers: &mut [i64; 23]) {
    redirect(registers);
    ANSWERED.store(true, Ordering::Relaxed);
}

/// Whether the call to come is answered here; set until the thread is on its own stack.
static ANSWERED: PerStep<AtomicBool> = PerStep::new(AtomicBool::new(false));

/// The registers that are kept on the stack, lowest address first.
#[repr(C)]
struct Kept {
    rbp: usize,
    r10: usize,
    r9: usize,
    r8: usize,
    rdx: usize,
    rsi: usize,
    rdi: usize,
    rax: usize,
    flags: usize,
    /// Address of the `syscall` instruction.
    address: usize,
}

/// Performs the event, or answers the call, on the thread's own stack.
extern "C" fn announce(kept: &mut Kept) {
    if ANSWERED.swap(false, Ordering::Relaxed) {
        return answer(kept);
    }
    let after = kept.address + INSTRUCTION_BYTES as usize;
    let args = [kept.rdi, kept.rsi, kept.rdx, kept.r10, kept.r8, kept.r9];
    if kept.rax == ::libc::SYS_futex as usize && futex::is_programs(&args, after) {
        // SAFETY: on the thread's stack; the program's arguments.
        kept.rax = unsafe { futex::call(&args) } as usize;
        // Its events are all there is to the call.
        kept.address = after;
        return;
    }
    engine::perform(engine::operation(Kind::Opaque));
    GRANTED.store(true, Ordering::Relaxed);
}

fn answer(kept: &mut Kept) {
    let running = running_call::running();
    let number = kept.rax as i64;
    let arguments = [kept.rdi, kept.rsi, kept.rdx, kept.r10, kept.r8, kept.r9];
    // SAFETY: the call is the program's, with the arguments that it had in registers; the thread is
    // on its own stack.
    kept.rax = unsafe {
        match timers::call::is_here(number) {
            true => timers::call::answer(number, &arguments),
            false => channel::call::answer(number, &arguments),
        }
    } as usize;
    access::forget_place();
    kept.address += INSTRUCTION_BYTES as usize;
    running_call::go_on(running);
}

/// State components 0 to 2 and 5 to 7 of XSAVE: x87, SSE, AVX, AVX-512. Their standard format ends
/// at byte 2688 (Intel SDM volume 1, 13.4 and CPUID leaf 0DH); the header is bytes 512 to 575.
#[unsafe(naked)]
unsafe extern "C" fn before_call() {
    naked_asm!(
        "push rcx",
        "pushfq",
        "cld",
        "push rax",
        "push rdi",
        "push rsi",
        "push rdx",
        "push r8",
        "push r9",
        "push r10",
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 2816",
        "and rsp, -64",
        "xor eax, eax",
        "lea rdi, [rsp + 512]",
        "mov ecx, 8",
        "rep stosq",
        "cmp byte ptr [rip + {clears}], 0",
        "je 2f",
        "mov rdi, rsp",
        "mov ecx, 352",
        "rep stosq",
        "2:",
        "mov eax, 0xe7",
        "xor edx, edx",
        "xsave64 [rsp]",
        "cmp byte ptr [rip + {clears}], 0",
        "je 3f",
        "xor ecx, ecx",
        "xgetbv",
        "and eax, 0xe7",
        "mov [rsp + 512], rax",
        "3:",
        "mov rdi, rbp",
        "call {announce}",
        "mov eax, 0xe7",
        "xor edx, edx",
        "xrstor64 [rsp]",
        "mov rsp, rbp",
        "pop rbp",
        "pop r10",
        "pop r9",
        "pop r8",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "pop rax",
        "popfq",
        "pop rcx",
        "lea rsp, [rsp + 128]",
        "jmp rcx",
        announce = sym announce,
        clears = sym CLEARS,
    )
}
