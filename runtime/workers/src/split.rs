//! The fork of a worker: afterwards parent and child share nothing but what is meant to be shared.

use crate::shared::Shared;
use core::sync::atomic::{AtomicIsize, Ordering};
use dpor_engine::runtime::runtime;
use dpor_engine::{children, clock, forked, journal, private_stack, process};
use dpor_machine::arena;
use dpor_machine::state::Kept;

/// What the fork returned, in each process.
static RESULT: Kept<AtomicIsize> = Kept::new(AtomicIsize::new(0));

/// The arguments of the split, in shared memory only as long as nobody writes there.
struct Arguments {
    shared: &'static Shared,
    rank: usize,
    journal: usize,
    forks: bool,
}

/// Forks worker `rank`, whose journal is mapped at `journal`; 0 in the child, negative on failure.
pub fn split(shared: &'static Shared, rank: usize, journal: usize) -> isize {
    // SAFETY: this is the engine's context between two steps: no fiber uses the runtime.
    let forks = unsafe { forked::is_used(&(*runtime()).options) };
    let arguments = Arguments {
        shared,
        rank,
        journal,
        forks,
    };
    // SAFETY: this is the engine's context, and the parent waits until the child has memory of its own.
    unsafe { private_stack::call(fork, &raw const arguments as usize) };
    RESULT.load(Ordering::Relaxed)
}

extern "C" fn fork(arguments: usize) -> ! {
    // SAFETY: the pointer is to a local variable of `split`, which waits.
    let arguments = unsafe { &*(arguments as *const Arguments) };
    let (shared, rank) = (arguments.shared, arguments.rank);
    // SAFETY: the parent touches nothing shared until the child has memory of its own.
    let process = unsafe { children::fork() };
    RESULT.store(process, Ordering::Relaxed);
    if process == 0 {
        journal::become_own(arguments.journal);
        // The coordinator sees that it died, and the driver what it said.
        if !arena::detach() || (arguments.forks && !forked::detach_stack()) {
            process::refuse_plainly("no memory for a worker process (-j)");
        }
        shared.apart.fetch_add(1, Ordering::Release);
    } else if process > 0 {
        while shared.apart.load(Ordering::Acquire) as usize == rank
            && !children::has_ended(process as usize)
        {
            clock::pause();
        }
    }
    // SAFETY: each process has its own copy, or the other is gone.
    unsafe { private_stack::back() }
}
