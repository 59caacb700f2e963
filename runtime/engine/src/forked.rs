//! Checkpoints that are processes: `--checkpoint=fork`.
//!
//! ```text
//!   root ── fork ──► runner                      the root's process waits
//!   root ── fork ──► checkpoint 1 ── fork ──► runner    the runner took a checkpoint: it waits, a child goes on
//!   root ── fork ──► checkpoint 1 ── fork ──► runner'   a restore of 1: the runner ended, 1 made another
//! ```
//!
//! What the kernel copies at a fork is what a snapshot has to find out: the program's memory, its
//! mappings and its descriptors. The search is in memory that all of them share: the arena, and the
//! engine's stack, on which a restore leaves the runner that ends and goes on in the one that is made.
//! Checkpoints lie one behind the other on a path, so that the processes are a chain, of which only the
//! last one runs. A restore of one that is further up ends all those below it.
//!
//! Source: the One Page Model Checker keeps its states as forked processes.

use crate::given::concerns;
#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::runtime::{runtime, Runtime};
use crate::{children, clock, journal, private_stack, resources_used, turn};
use dpor_abi::journal::Announced;
use dpor_abi::options::{Checkpoint, Options};
use dpor_machine::sys;

/// Exit code of a runner if another is to go on at a checkpoint.
const RESTORE: i32 = 0x60;

/// A checkpoint has to save so many times what it costs (ALGORITHM: taking one and restoring it, twice each).
const WORTH: u64 = 4;

/// Weight of the past in an average, of [`WEIGHTS`].
const PAST: u64 = 7;
const WEIGHTS: u64 = 8;

/// Whether the check's states are taken back this way. A replay runs once.
pub fn is_used(options: &Options) -> bool {
    options.checkpoint == Checkpoint::Fork && options.replay.is_empty()
}

fn rt() -> *mut Runtime {
    runtime()
}

/// Leaves the engine's stack, which others use from now on, and calls `body(argument)`. Returns in
/// another process.
fn leave_to(body: extern "C" fn(usize) -> !, argument: usize) {
    // SAFETY: this is the engine's context, and one process at a time is the engine.
    unsafe {
        (*rt()).forked.since_ns = clock::monotonic_ns();
        private_stack::call(body, argument);
        let forked = &mut (*rt()).forked;
        let now = clock::monotonic_ns();
        average(&mut forked.restore_ns, now - forked.since_ns);
        forked.looked = (now, (*rt()).serial);
    }
    // What was learnt since this process was forked is not in its memory.
    (concerns().execution_begins)();
}

fn average(of: &mut u64, value: u64) {
    *of = match *of {
        0 => value,
        past => (past * PAST + value) / WEIGHTS,
    };
}

/// Makes this process checkpoint `number` (0: the root). Returns in a child, which goes on.
pub fn take(number: usize) {
    leave_to(hold, number);
}

/// Goes back to a checkpoint: returns in a process that stands there.
pub fn restore(number: usize) {
    // SAFETY: this is the engine's context between two steps: no fiber uses the runtime.
    unsafe {
        let (forked, serial) = (&mut (*rt()).forked, (*rt()).serial);
        let (since, steps) = forked.looked;
        if serial > steps {
            average(
                &mut forked.event_ns,
                (clock::monotonic_ns() - since) / (serial - steps),
            );
        }
        forked.target = number;
    }
    leave_to(end, 0);
}

/// Number of events that have to be repeated before a checkpoint is worth it, as measured so far.
pub fn worth(rt: &Runtime) -> u32 {
    let forked = &rt.forked;
    let events = WORTH * forked.restore_ns / forked.event_ns.max(1);
    u32::try_from(events)
        .unwrap_or(u32::MAX)
        .max(Options::default().checkpoint_after as u32)
}

/// The check ends in this process.
pub fn is_over(rt: &mut Runtime) {
    rt.forked.over = true;
}

extern "C" fn end(_: usize) -> ! {
    // SAFETY: all other processes of the chain wait for this one, and none of its fibers runs: nobody else uses the
    // runtime.
    unsafe { (*rt()).forked.cpu_seconds += resources_used::own_seconds() };
    sys::exit_group(RESTORE)
}

/// Waits for restores. On this process's own stack.
extern "C" fn hold(number: usize) -> ! {
    let mut counted = 0.0;
    loop {
        let seconds = resources_used::own_seconds();
        // SAFETY: this process goes on only after its child has ended, and its own children are forked later: nobody
        // else uses the runtime.
        unsafe { (*rt()).forked.cpu_seconds += seconds - counted };
        counted = seconds;
        // SAFETY: this process waits until the child has ended, so that one of them uses the memory that both share.
        let child = unsafe { children::fork() };
        if child == 0 {
            go_on();
        }
        if child < 0 {
            sys::write_all(
                2,
                b"dpor: the system does not allow a process for a checkpoint\n",
            );
            sys::exit_group(turn::DIED);
        }
        let status = children::wait(child as usize);
        // SAFETY: the child has ended, so that no other process uses the runtime.
        let (over, target) = unsafe { ((*rt()).forked.over, (*rt()).forked.target) };
        match (libc::WIFEXITED(status), libc::WEXITSTATUS(status)) {
            (true, RESTORE) if target == number => {}
            #[cfg(feature = "mutations")]
            (true, RESTORE) if mutations::does(Mutation::OtherFork) => {}
            (true, code @ (RESTORE | turn::DIED)) => sys::exit_group(code),
            (true, code) if over => sys::exit_group(code),
            _ => died(status),
        }
    }
}

fn died(status: i32) -> ! {
    if !journal::is_announced() {
        journal::announce(Announced::Child(status as u32), 0, 0);
    }
    // SAFETY: the only process that used the runtime besides this one has ended.
    if unsafe { (*rt()).options.channel } < 0 {
        let text = format!("dpor: the process of an execution died (wait status {status:#x})\n");
        sys::write_all(2, text.as_bytes());
    }
    sys::exit_group(turn::DIED)
}

/// This process, which was just made, goes on where the last one left the engine.
fn go_on() -> ! {
    children::die_with_parent();
    (concerns().after_fork)();
    // SAFETY: all other processes of the chain wait, and none of them resumes the engine's context.
    unsafe {
        (*rt()).forks += 1;
        private_stack::back()
    }
}

/// Makes the engine's stack this process's own (and its children's), which was just forked. Not on the
/// engine's stack. False if there is no memory.
pub fn detach_stack() -> bool {
    let (start, end) = crate::runtime::engine_stack();
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
    let Some(copy) = sys::map(0, end - start, flags) else {
        return false;
    };
    // SAFETY: both mappings have so many bytes; nobody is on the stack while it is replaced.
    unsafe {
        let used = (*rt()).engine_aside - start;
        let from = (start + used) as *const u8;
        copy.add(used)
            .copy_from_nonoverlapping(from, end - start - used);
        let (bytes, flags) = (end - start, libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED);
        let copy = copy as usize;
        let moved = sys::call6(
            libc::SYS_mremap,
            copy,
            bytes,
            bytes,
            flags as usize,
            start,
            0,
        );
        moved == start as isize
    }
}
