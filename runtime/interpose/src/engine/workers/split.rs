//! The fork of a worker: afterwards parent and child share nothing but what is meant to be shared.

use super::super::{aside, forked, journal, run};
use super::shared::Shared;
use crate::{arena, sys};
use core::sync::atomic::{AtomicIsize, Ordering};

/// What the fork returned, in each process.
static RESULT: AtomicIsize = AtomicIsize::new(0);

/// In shared memory only as long as nobody writes there.
struct Arguments {
    shared: &'static Shared,
    rank: usize,
    journal: usize,
    forks: bool,
}

/// Forks worker `rank`, whose journal is mapped at `journal`; 0 in the child, negative on failure.
pub fn split(shared: &'static Shared, rank: usize, journal: usize) -> isize {
    // SAFETY: on the engine's context.
    let forks = unsafe { forked::is_used(&(*super::runtime()).options) };
    let arguments = Arguments {
        shared,
        rank,
        journal,
        forks,
    };
    // SAFETY: on the engine's context; the parent waits until the child has memory of its own.
    unsafe { aside::call(fork, &raw const arguments as usize) };
    RESULT.load(Ordering::Relaxed)
}

extern "C" fn fork(arguments: usize) -> ! {
    // SAFETY: from `split`, which waits.
    let arguments = unsafe { &*(arguments as *const Arguments) };
    let (shared, rank) = (arguments.shared, arguments.rank);
    // SAFETY: the process has one running thread; the child has it too. No signal is sent when it ends:
    // the program may have a handler.
    let process = unsafe { sys::call6(libc::SYS_clone, 0, 0, 0, 0, 0, 0) };
    RESULT.store(process, Ordering::Relaxed);
    if process == 0 {
        journal::become_own(arguments.journal);
        // The coordinator sees that it died.
        if !arena::detach() || (arguments.forks && !forked::detach_stack()) {
            sys::exit_group(run::DIED);
        }
        shared.apart.fetch_add(1, Ordering::Release);
    } else if process > 0 {
        while shared.apart.load(Ordering::Acquire) as usize == rank && !has_ended(process as usize)
        {
            run::pause();
        }
    }
    // SAFETY: each process has its own copy, or the other is gone.
    unsafe { aside::back() }
}

/// Whether a child has ended; it can still be waited for.
fn has_ended(process: usize) -> bool {
    let mut ended = core::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
    let flags = (libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL) as usize;
    // SAFETY: our own child; `ended` is writable, and zeros are valid.
    unsafe {
        let into = ended.as_mut_ptr() as usize;
        let one = libc::P_PID as usize;
        let asked = sys::call6(libc::SYS_waitid, one, process, into, flags, 0, 0);
        asked != 0 || ended.assume_init().si_pid() != 0
    }
}
