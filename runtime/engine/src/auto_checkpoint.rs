//! `--checkpoint=auto`: snapshots, until processes are measured to be cheaper.
//!
//! A snapshot copies every page that any execution wrote; a fork pays for page tables, and for a fault and
//! a copy of each page that this execution writes. So a program that writes to other pages each time
//! makes snapshots dearer and dearer, and forks not. After 64 executions, 128, 256, … both are measured at
//! the root: a restore, and a child that writes the pages that this execution changed. Where the child
//! is the cheaper one by a fifth, the search goes on with forks, from where it is: what it learnt and the
//! tree stay, and only its checkpoints are given up.
//!
//! Where many pages are hot, restores of checkpoints copy little (machine/src/snapshot/cooling.rs), and are measured
//! one by one: nothing is compared while they are on average cheaper than the cheapest child.
//!
//! docs/decisions/0036 has the measurements.

use crate::given::concerns;
use crate::runtime::Runtime;
use crate::searching::Engine;
use crate::{children, forked, private_stack, resources_used};
use dpor_abi::options::Checkpoint;
use dpor_machine::state::Kept;
use dpor_machine::sys;
use std::sync::atomic::{AtomicBool, Ordering};

/// Seconds that a fork takes at least: a restore that takes less is not dearer.
const FORK_MIN: f64 = 1e-4;

/// Nanoseconds of a page that a child writes, at least: a fault and a copy of 4 KB.
const PAGE_NS_MIN: f64 = 250.0;

/// A restore has to be so many times as dear as a fork for forks to be used.
const WORTH: f64 = 1.2;

/// Times that either way is measured; the least time counts.
const TRIES: usize = 4;

/// The way in which states were taken back in the end, by this process or by its workers.
pub fn taken(rt: &Runtime) -> Checkpoint {
    match rt.options.checkpoint {
        Checkpoint::Snapshot if rt.forks > 0 => Checkpoint::Fork,
        checkpoint => checkpoint,
    }
}

/// Counts an execution that begins, and compares the two ways if that is due.
#[inline]
pub fn count(engine: &mut Engine) {
    let choosing = &mut engine.rt().auto_checkpoint;
    if choosing.left > 0 {
        choosing.left -= 1;
        if choosing.left == 0 && look(engine.rt()) {
            go_over(engine);
        }
    }
}

/// Measures both ways, and returns whether forks are cheaper.
#[cold]
fn look(rt: &mut Runtime) -> bool {
    if rt.is_child || rt.is_replay() || rt.deaths.is_some() {
        return false;
    }
    rt.auto_checkpoint.interval *= 2;
    rt.auto_checkpoint.left = rt.auto_checkpoint.interval;
    let Some(snapshots) = &mut rt.snapshots else {
        return false;
    };
    let mean_ns = rt.restoring.mean_ns();
    let changed = snapshots.changed_pages();
    // Most executions go back to checkpoints, and copy little: then the root need not be looked at, which is dear
    // where much changed.
    let fork_ns = FORK_MIN * 1e9 + PAGE_NS_MIN * changed.len() as f64;
    if mean_ns.is_some_and(|ns| (ns as f64) < WORTH * fork_ns) {
        return false;
    }
    // Memory alone: the rest of the state goes back when the next execution begins.
    (concerns().before_restore)();
    snapshots.restore_root();
    (concerns().after_restore)();
    rt.pristine = true;
    rt.restored += 1;
    let restore = cost(|| {
        changed.iter().for_each(|&page| snapshots.touch(page, 1));
        write(&changed);
        snapshots.restore_root();
    });
    if restore < FORK_MIN {
        return false;
    }
    // A fault of the child's would be noted in memory that both share, as if it were this process's.
    changed.iter().for_each(|&page| snapshots.touch(page, 1));
    let mut works = true;
    let fork = cost(|| works &= try_fork(&changed));
    works && WORTH * fork < restore
}

/// Processor time in seconds, that of children that were waited for included: on a busy machine a fork
/// waits for a processor twice, which says nothing of its cost.
fn cost(mut what: impl FnMut()) -> f64 {
    let spent = || resources_used::thread_seconds() + resources_used::seconds_of_children();
    let mut once = || {
        let before = spent();
        what();
        spent() - before
    };
    (0..TRIES).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// Makes a child that writes these pages, and waits for its end. False if the system refuses.
fn try_fork(pages: &[usize]) -> bool {
    // SAFETY: the child writes pages of the program only, which are its own copies, and nothing that both share.
    let child = unsafe { children::fork() };
    if child == 0 {
        write(pages);
        sys::exit_group(0);
    }
    if child > 0 {
        children::wait(child as usize);
    }
    child > 0
}

/// Writes to each of these pages, of which none is protected, what is there.
fn write(pages: &[usize]) {
    for &page in pages {
        let byte = page as *mut u8;
        // SAFETY: the page is mapped, as it was written in the last execution; the value stays, and no fiber runs.
        unsafe { byte.write_volatile(byte.read_volatile()) };
    }
}

static IS_SHARED: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

extern "C" fn share_stack(_: usize) -> ! {
    IS_SHARED.store(forked::detach_stack(), Ordering::Relaxed);
    // SAFETY: this process is the only one of its memory, and `call` suspended the engine in it.
    unsafe { private_stack::back() }
}

/// Goes on with forks. The program is at the root.
fn go_over(engine: &mut Engine) {
    // SAFETY: this is the engine's context, and nothing runs on its stack until `back`.
    unsafe { private_stack::call(share_stack, 0) };
    if !IS_SHARED.load(Ordering::Relaxed) {
        return;
    }
    engine.search.give_up_checkpoints(&mut engine.native);
    let rt = engine.rt();
    if let Some(snapshots) = &mut rt.snapshots {
        snapshots.retire();
    }
    rt.auto_checkpoint.left = 0;
    rt.options.checkpoint = Checkpoint::Fork;
    forked::take(0);
    engine.rt().pristine = true;
}
