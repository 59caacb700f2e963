//! The end of the process, and what is looked at and told before its last step.

use crate::given::concerns;
#[cfg(feature = "mutations")]
use crate::mutations;
use crate::perform::{leave, perform};
use crate::runtime::runtime;
use crate::thread_mask::ThreadMask;
use crate::world::world;
use crate::{findings, is_inside_event, leaks, operation, race_findings, site};
use dpor_model::{Argument, Kind, Next, Operation};
use dpor_report::FindingKind;

/// The process ends here (`_exit`), as an event that conflicts with everything.
/// A code other than 0, and than those of `--exit-status`, is a finding.
pub fn end_process(code: i32) -> ! {
    finish_process(code, Last::AtOnce)
}

/// What precedes the end of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Last {
    /// Nothing precedes the end (`_exit`).
    AtOnce,
    /// The handlers of `exit`, after which streams are flushed.
    Handlers,
    /// The handlers of `quick_exit`, after which nothing is flushed.
    QuickHandlers,
}

/// Ends the process with `code`, as [`end_process`] does, after `last`.
pub fn finish_process(code: i32, last: Last) -> ! {
    let flush = last == Last::Handlers;
    (concerns().before_end)();
    let rt = runtime();
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let fails = unsafe { !(*rt).options.exit_status.has(code) };
    #[cfg(feature = "mutations")]
    let fails = fails && !mutations::does(mutations::Mutation::AnyStatus);
    if fails {
        let details = vec![format!("exit status {code}")];
        // What the execution printed belongs to the finding.
        if flush {
            (concerns().flush)();
        }
        findings::sentence(
            FindingKind::NonzeroExit,
            format!("the process exits with status {code}"),
            site(),
            0,
            details,
        );
    }
    let waits = !fails && last != Last::AtOnce && !is_inside_event() && crate::exit_state::waits();
    // With nobody left whom it could forestall, the end is not an event: nothing is ordered by it.
    let alone = !fails && is_last();
    if !alone {
        let kind = if waits { Kind::ProcessEnd } else { Kind::Exit };
        perform(Operation {
            argument: Argument::of_program(code as u64),
            ..operation(kind)
        });
    }
    let all_ended = alone || waits && is_last();
    if flush && !fails {
        (concerns().note_threads_left)();
        if is_last() {
            (concerns().tell_of_left)();
            leaks::tell_of_leaks();
            race_findings::tell_of_unused_loads();
        }
    }
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    unsafe {
        (*rt).exiting = true;
        (*rt).failed = fails;
    }
    if flush {
        (concerns().flush)();
    }
    leave(match all_ended {
        true => Next::Finished,
        false => Next::Ended,
    })
}

/// Threads that have ended when the process does, and that nobody joined or detached.
pub fn note_abandoned(threads: ThreadMask) {
    // SAFETY: a fiber runs: the world is mapped, and only that fiber uses it while the engine waits inside a step.
    unsafe { (*world()).engine.abandoned = threads };
}

/// Main, on thread 0, has returned.
pub fn main_returned() {
    // SAFETY: a fiber runs: the world is mapped, and only that fiber uses it while the engine waits inside a step.
    unsafe { (*world()).engine.main_returned = true };
}

/// True if every other thread has finished.
pub(crate) fn is_last() -> bool {
    // SAFETY: a fiber runs: runtime and world are there, and the engine, inside a step, holds no reference to either.
    unsafe { (*world()).engine.live.is_only((*runtime()).current) }
}
