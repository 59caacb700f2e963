//! Whether the states of a program come back, of which a search by executions could not run some to their end: loops were
//! cut, or executions got too long. Then the command that comes to an end is named.
//!
//! *How it is known*: a search over states is run, for a moment. Only if it comes to its end, or finds a bug, something is
//! said: a state that comes back in one execution does not tell that all do.

use crate::death;
use crate::input::Input;
use crate::launch::Stdout;
use crate::program::Program;
use dpor_abi::options::{Checkpoint, Options, Search, States};
use dpor_report::{duration, text, Report, Verdict};

/// How long it may take, in seconds, and how many states there may be (chosen: what nobody waits for who waited for the
/// search itself).
const SECONDS: f64 = 2.0;
const STATES: u64 = 100_000;

/// Words of reasons for which executions were cut.
const CUT: [&str; 3] = ["loop at ", "max-events: ", "livelock: "];

/// The note, if there is something to say. `command`: what visits the states. `before`: what the program found to read.
///
/// The search is made only where nothing else than the verdict was asked for: not by several machines, nor of a search
/// that is kept.
pub fn note(
    report: &Report,
    program: &Program,
    args: &[String],
    options: &Options,
    (command, before): (&str, Input),
    is_shared: bool,
) -> Option<String> {
    let reason = report.reason.as_deref().unwrap_or_default();
    let was_cut =
        report.verdict == Verdict::Incomplete && CUT.iter().any(|word| reason.contains(word));
    let is_alone = !is_shared && options.save.is_empty() && options.resume.is_empty();
    if !was_cut || !is_alone || options.is_by_states() || !before.is_there_again() {
        return None;
    }
    before.begin();
    let by_states = by_states(options);
    by_states.fit_together().ok()?;
    let found = death::explore(
        program,
        args,
        &by_states,
        Stdout::Nowhere,
        &mut |_| {},
        None,
    );
    let found = found.ok()?;
    let states = text::counted(found.states.as_ref()?.states, "state");
    let took = duration(found.seconds.wall);
    match found.verdict {
        Verdict::Verified => Some(format!(
            "its states come back, and can all be visited ({states} in {took}): {command}"
        )),
        Verdict::Bug => Some(format!(
            "its states come back, and among {states} there is a bug: {command}"
        )),
        _ => None,
    }
}

/// The options of the search over states: those of the check that are for it, too.
fn by_states(options: &Options) -> Options {
    Options {
        states: States::Compact,
        max_states: STATES,
        time_limit_seconds: SECONDS,
        search: Search::Optimal,
        bound: None,
        iterative: false,
        loop_bound: 0,
        max_events: 0,
        max_executions: 0,
        workers: 1,
        cluster: None,
        checkpoint: Checkpoint::Snapshot,
        progress: false,
        ..options.clone()
    }
}
