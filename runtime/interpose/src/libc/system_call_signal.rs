//! System calls of the program, which the kernel shows by a signal (Syscall User Dispatch).

use crate::engine;
use crate::engine::runtime::ACTIVE;
use crate::engine::signals::{call_on_fiber, die, registers};
use crate::libc::futex;
use crate::libc::opaque::{self, Step};
use crate::libc::syscalls::{fault, memory, SyscallOutcome};
use core::ffi::c_void;
use core::sync::atomic::Ordering;
use dpor_report::FindingKind;

/// Offset of `si_arch` in the kernel's `siginfo` for SIGSYS, and its value for 64-bit calls
/// (`<linux/audit.h>`).
const ARCHITECTURE_OFFSET: usize = 28;
const AUDIT_ARCH_X86_64: u32 = 0xc000_003e;

/// Answers a system call, in the handler of SIGSYS.
pub fn answer(info: &libc::siginfo_t, context: *mut c_void) {
    // SAFETY: a `siginfo` has 128 bytes.
    let architecture = unsafe {
        *(&raw const *info)
            .byte_add(ARCHITECTURE_OFFSET)
            .cast::<u32>()
    };
    if architecture != AUDIT_ARCH_X86_64 && ACTIVE.load(Ordering::Relaxed) {
        engine::unsupported("a system call of the 32-bit interface");
    }
    let gregs = registers(context);
    let number = gregs[libc::REG_RAX as usize];
    let mut arguments = [
        gregs[libc::REG_RDI as usize] as usize,
        gregs[libc::REG_RSI as usize] as usize,
        gregs[libc::REG_RDX as usize] as usize,
        gregs[libc::REG_R10 as usize] as usize,
        gregs[libc::REG_R8 as usize] as usize,
        gregs[libc::REG_R9 as usize] as usize,
    ];
    let instruction = gregs[libc::REG_RIP as usize] as usize;
    let stack_pointer = gregs[libc::REG_RSP as usize] as usize;
    let active = ACTIVE.load(Ordering::Relaxed);
    if active && number == libc::SYS_futex && futex::is_programs(&arguments, instruction) {
        engine::endless::end_watch(context);
        return opaque::redirect(gregs);
    }
    if active && opaque::step(number, &arguments, instruction, stack_pointer) == Step::Event {
        engine::endless::end_watch(context);
        return opaque::redirect(gregs);
    }
    if active {
        memory::note_caller(number, stack_pointer);
    }
    match fault::guarded(number, &mut arguments, active) {
        SyscallOutcome::Value(value) => gregs[libc::REG_RAX as usize] = value as i64,
        SyscallOutcome::End(code) => call_on_fiber(context, end_on_fiber, code as usize),
        SyscallOutcome::EndThread(code) => {
            call_on_fiber(context, end_thread_on_fiber, code as usize);
        }
        SyscallOutcome::Signal(signal) => signalled(context, signal),
        SyscallOutcome::OnThread => {
            engine::endless::end_watch(context);
            opaque::redirect_answered(registers(context));
        }
        SyscallOutcome::Unsupported(what) => engine::unsupported(&what),
    }
}

extern "C" fn end_on_fiber(code: usize) -> ! {
    engine::end_process(code as i32)
}

extern "C" fn end_thread_on_fiber(code: usize) -> ! {
    crate::pthread::thread::end_by_system_call(code as i32)
}

/// The program sends itself a signal whose default action ends it.
fn signalled(context: *mut c_void, signal: i32) {
    let (kind, message) = match signal {
        libc::SIGABRT => (FindingKind::Abort, "abort (SIGABRT)".to_owned()),
        _ => (
            FindingKind::Crash,
            format!("the program sends itself signal {signal}"),
        ),
    };
    die(context, kind, message, Vec::new());
}
