//! Executions that run for ever by design: threads go round, and make progress.
//!
//! An execution that ends because its threads go round is no livelock if one of them makes progress, and none goes round
//! for what nobody will write. It counts as one that is complete, and a note says who goes round and who waits or
//! starves meanwhile. The argument is in docs/decisions/0076.

use crate::given::posix;
#[cfg(feature = "mutations")]
use crate::mutations::{self, Mutation};
use crate::runtime::Runtime;
use crate::sites::place;
use crate::waits::describe_wait;
use dpor_explorer::{Deadlock, End, Starving, Trace, Waiting};
use dpor_model::Kind;

/// Number of different notes that are shown.
const NOTES_MAX: usize = 4;

/// Result of a trylock that found the mutex locked.
const EBUSY: i32 = libc::EBUSY;

/// Whether a thread that goes round makes progress.
fn progresses(trace: &Trace, waiting: &Waiting) -> bool {
    #[cfg(feature = "mutations")]
    if mutations::does(Mutation::NoProgress) {
        return false;
    }
    waiting.since.is_some_and(|since| {
        posix().is_marked(waiting.thread, since)
            || (posix().is_endless(waiting.thread, since) && has_section(trace, waiting, since))
    })
}

/// Whether the thread entered and left a critical section since so many events, and was refused at none.
fn has_section(trace: &Trace, waiting: &Waiting, since: usize) -> bool {
    let own = (since..trace.len()).filter(|&k| trace.event(k).thread == waiting.thread);
    let mut left = false;
    for k in own {
        match trace.operation(k).kind {
            Kind::MutexTrylock if trace.event(k).decision.result == EBUSY => return false,
            Kind::MutexUnlock => left = true,
            _ => {}
        }
    }
    left
}

/// The note on an execution that runs for ever with progress. `None` if it does not.
pub fn note(trace: &Trace, end: &End) -> Option<String> {
    let (all, is_cycle): (&Deadlock, bool) = match end {
        End::Deadlock(all) => (all, false),
        End::Livelock(all) => (all, true),
        _ => return None,
    };
    let going: Vec<&Waiting> = all.waiting.iter().filter(|w| w.spins()).collect();
    let by_design = |w: &&&Waiting| progresses(trace, w);
    // In a cycle, who moved finds each time what others made: it starves.
    let starves = |w: &Waiting| is_cycle && w.since.is_some();
    let is_fine = going.iter().any(|w| by_design(&w))
        && going.iter().all(|w| by_design(&w) || starves(w))
        && !all.is_cycle();
    is_fine.then(|| {
        let one = |waiting: &Waiting| match waiting.spins() {
            false => describe_wait(trace, waiting),
            true => {
                let place = place(waiting.operation.site);
                let how = match progresses(trace, waiting) {
                    true => "with progress",
                    false => "and starves",
                };
                format!(
                    "thread {} goes round at {}:{} {how}",
                    waiting.thread.0, place.file, place.line
                )
            }
        };
        let all: Vec<String> = all.waiting.iter().map(one).collect();
        format!("runs for ever: {}", all.join("; "))
    })
}

/// The part of the note on a thread that is passed over for ever.
fn starving(starving: &Starving) -> String {
    let place = place(starving.operation.site);
    format!(
        "thread {} may starve at {}:{}: others go round with progress, and each of its looks may be in vain",
        starving.thread.0, place.file, place.line
    )
}

/// Keeps what is to be said of an execution; true if it runs for ever with progress.
pub fn execution_ended(rt: &mut Runtime, trace: &Trace, end: &End) -> bool {
    let note = note(trace, end);
    let is_forever = note.is_some();
    let all = note
        .into_iter()
        .chain(trace.starving().iter().map(starving));
    rt.findings.cut.forever.extend(all);
    is_forever
}

/// The notes that were kept, in the order of their texts.
pub fn notes(rt: &Runtime) -> Vec<String> {
    let all = &rt.findings.cut.forever;
    let more = all.len().saturating_sub(NOTES_MAX);
    let rest = (more > 0).then(|| format!("and {more} more of executions that run for ever"));
    all.iter().take(NOTES_MAX).cloned().chain(rest).collect()
}
