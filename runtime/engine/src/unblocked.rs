//! Signals that the runtime handles are let in while the program is explored.
//!
//! Who creates a thread often blocks all signals before, so that the thread does; the mask of the first
//! thread is then the kernel's when the exploration begins. A fault that is blocked kills the process
//! (sigprocmask(2)), and faults are how the snapshot learns which pages are written. The program's own
//! masks are kept apart (`libc/signals.rs`).

use core::ffi::c_int;
use dpor_machine::sys;

/// Signals that come from the running instruction, or as if they did.
pub const FAULTS: [c_int; 6] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGTRAP,
];

/// System calls, the step limit, requests to stop.
const OTHERS: [c_int; 4] = [libc::SIGSYS, libc::SIGPROF, libc::SIGINT, libc::SIGTERM];

/// Lets them in, now that each has a handler of ours. What is pending stays: such a program is refused
/// (`pthread::signal::at_root`).
pub fn begin() {
    let ours = FAULTS.iter().chain(&OTHERS);
    let ours = ours.fold(0u64, |set, signal| set | 1 << (signal - 1));
    let mut pending = 0u64;
    let (place, bytes) = (&raw mut pending as usize, size_of::<u64>());
    // SAFETY: the set is a local variable that the kernel writes.
    unsafe { sys::call3(libc::SYS_rt_sigpending, place, bytes, 0) };
    let set = ours & !pending;
    let (how, place) = (libc::SIG_UNBLOCK as usize, &raw const set as usize);
    // SAFETY: the kernel reads the set, a local variable; every signal of it has a handler of ours.
    unsafe { sys::call6(libc::SYS_rt_sigprocmask, how, place, 0, bytes, 0, 0) };
}
