//! Processes of the runtime's own, which it forks from this one and waits for.

use crate::turn;
use core::sync::atomic::{AtomicUsize, Ordering};
use dpor_machine::state::Kept;
use dpor_machine::sys;

/// The process that called [`fork`] last: in a child its parent. Each process has its own.
static FORKER: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Forks this process, and returns 0 in the child, a negative number on failure. The process has one running thread,
/// and so has the child. No signal is sent when it ends: the program may have a handler.
///
/// # Safety
/// Memory that both share (the arena, with it the engine's state) is used by one of them at a time.
#[inline(always)]
pub unsafe fn fork() -> isize {
    // SAFETY: the call touches no memory; the caller promises that what both share is used by one at a time.
    unsafe {
        let own = sys::call3(libc::SYS_getpid, 0, 0, 0);
        FORKER.store(own as usize, Ordering::Relaxed);
        sys::call6(libc::SYS_clone, 0, 0, 0, 0, 0, 0)
    }
}

/// This process, which [`fork`] made, is of no use without its parent: it dies with it, also if that is dead by
/// now and another process has taken its place.
pub fn die_with_parent() {
    let (option, signal) = (libc::PR_SET_PDEATHSIG as usize, libc::SIGKILL as usize);
    // SAFETY: the calls take and return numbers only.
    let parent = unsafe {
        sys::call3(libc::SYS_prctl, option, signal, 0);
        sys::call3(libc::SYS_getppid, 0, 0, 0)
    };
    if parent as usize != FORKER.load(Ordering::Relaxed) {
        sys::exit_group(turn::DIED);
    }
}

/// The wait status of a child, once it has ended.
pub fn wait(child: usize) -> i32 {
    let mut status = 0i32;
    loop {
        let (into, flags) = (&raw mut status as usize, libc::__WALL as usize);
        // SAFETY: `status` is a local variable that the kernel writes; the child is our own.
        let n = unsafe { sys::call6(libc::SYS_wait4, child, into, flags, 0, 0, 0) };
        if n != -(libc::EINTR as isize) {
            return status;
        }
    }
}

/// Whether a child has ended; it can still be waited for.
pub fn has_ended(child: usize) -> bool {
    let mut ended = core::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
    let flags = (libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL) as usize;
    // SAFETY: the child is our own; `ended` is a local variable that the kernel writes, and zeros are valid for it.
    unsafe {
        let into = ended.as_mut_ptr() as usize;
        let one = libc::P_PID as usize;
        let asked = sys::call6(libc::SYS_waitid, one, child, into, flags, 0, 0);
        asked != 0 || ended.assume_init().si_pid() != 0
    }
}

/// Ends a child, and waits for it.
pub fn kill(child: usize) {
    // SAFETY: the number is of our own child, which was not waited for, so that nobody else can have it; the call
    // touches no memory.
    unsafe { sys::call3(libc::SYS_kill, child, libc::SIGKILL as usize, 0) };
    wait(child);
}
