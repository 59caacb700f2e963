//! This process as one of several that explore, as far as the engine asks: whether it is to end, and what it has to
//! agree on with the others.

use crate::journal;
use crate::runtime::{runtime, Runtime};
use crate::stop::Stop;
use crate::stopping::stop_now;
use crate::turn::LEARNT;
use dpor_machine::state::Kept;
use dpor_machine::{sys, thread_limit};
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a helper whose sample is special.
pub const SPECIAL: i32 = 0x61;

/// True if this process is a helper: it runs samples for another process.
static HELPS: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Notes that this process runs samples for another one from now on.
pub fn begins_to_help() {
    HELPS.store(true, Ordering::Relaxed);
}

/// Whether this process runs samples for another process.
pub fn is_helper() -> bool {
    HELPS.load(Ordering::Relaxed)
}

/// A helper comes to something that only the coordinator may do.
pub fn give_up() -> ! {
    sys::exit_group(SPECIAL)
}

/// Whether this process is a worker, or runs samples for another process.
pub fn is_worker() -> bool {
    // SAFETY: the runtime is installed; one word of it is read, which changes between two steps only.
    is_helper() || unsafe { (*runtime()).worker.is_some() }
}

/// Whether this process is a worker that is to end. On a fiber, or in a handler that interrupted one.
pub fn is_told_to_end() -> bool {
    // SAFETY: a fiber runs, which changes none of this, and the engine waits.
    let worker = unsafe { &(*runtime()).worker };
    worker
        .as_ref()
        .is_some_and(|worker| worker.is_told_to_end())
}

/// A worker learnt, in the midst of a step, what the search has to know from its beginning. On a fiber.
pub fn learn_now() -> ! {
    if is_helper() {
        give_up();
    }
    // SAFETY: a fiber runs, which is left for good, and the engine waits.
    let (is_child, worker) = unsafe { ((*runtime()).is_child, &(*runtime()).worker) };
    if is_child {
        sys::exit_group(LEARNT);
    }
    let worker = worker
        .as_ref()
        .expect("[dpor internal bug] a worker knows what it is");
    worker.ends_for_what_it_learnt();
    stop_now(Stop::Told)
}

/// Gives a thread, the `nth` child of `creator`, its number in all processes. `None`: there are too many.
pub fn number(rt: &mut Runtime, creator: u16, nth: u16) -> Option<()> {
    let names = match &rt.worker {
        Some(worker) => worker.number(creator, nth)?,
        None if rt.names.len() + 1 >= thread_limit::get() => return None,
        None => {
            let mut names = rt.names.clone();
            names.push((creator, nth));
            names
        }
    };
    know(rt, &names);
    Some(())
}

/// Takes over thread numbers, which begin with those that are known.
pub fn know(rt: &mut Runtime, names: &[(u16, u16)]) {
    for &(creator, nth) in &names[rt.names.len()..] {
        journal::name(rt.names.len(), creator, nth);
        rt.names.push((creator, nth));
        let number = rt.names.len() as u16;
        rt.set_number((creator, nth), number);
    }
}
