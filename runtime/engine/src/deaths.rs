//! Steps that kill the process, whatever the runtime does: they are reported instead of made.
//!
//! A program that overwrites the runtime's own memory takes the search down with it. The driver
//! outlives that, reads which step of which schedule it was (journal.rs), and starts the program
//! again:
//!
//! - once to repeat that schedule with the runtime's memory guarded (guard.rs), so that the instruction
//!   that overwrites it is caught like any other crash;
//! - then to search again, with a list of the deaths known by now. The search is deterministic, so it
//!   comes to the same step. There the thread does what the runtime does for it (the operation that
//!   the explorer chose); where it would return to the program it ends the process instead, as an
//!   event, like a thread that crashes. So other threads may still go first, and see what it did.
//!
//! *Deviation*: what a thread would have done between the operation and its death is not seen by
//! others, except the operation itself.

use crate::knowledge::deaths::{Death, Deaths};
use crate::runtime::{Runtime, CALL_SITE};
use crate::stop::Stop;
use crate::world::world;
use crate::{findings, guard, journal, learned_events, stopping};
use dpor_abi::journal::Position;
use dpor_abi::options::Races;
use dpor_model::{Argument, Kind, Next, Operation, SiteId, ThreadId};
use dpor_report::{Finding, Schedule};

impl Death {
    /// Whether the step that is about to be made is this one.
    fn is_at(&self, position: Position) -> bool {
        self.position == position
            && journal::began_with(&self.decisions)
            && self.calls == learned_events::encode()
    }
}

/// Reads the deaths that are known, if there are any.
///
/// # Errors
/// One sentence that says what is wrong with the list.
pub fn prepare(rt: &mut Runtime) -> Result<(), String> {
    let path = core::mem::take(&mut rt.options.deaths);
    if path.is_empty() {
        return Ok(());
    }
    let text =
        std::fs::read_to_string(&path).map_err(|why| format!("cannot read {path}: {why}"))?;
    let findings: Vec<Finding> =
        serde_json::from_str(&text).map_err(|why| format!("{path} is no list of deaths: {why}"))?;
    let known = findings.into_iter().map(|finding| {
        let schedule: Schedule = finding.schedule.parse().ok()?;
        let position = schedule.death?;
        let mut decisions = schedule.decisions;
        decisions.truncate(position.events);
        Some(Death {
            position,
            decisions: decisions
                .iter()
                .map(|d| (d.thread, d.alternative))
                .collect(),
            calls: schedule.learned,
            finding,
            reached: false,
        })
    });
    let known = known.collect::<Option<_>>();
    let known = known.ok_or_else(|| format!("{path} has a schedule that cannot be read"))?;
    rt.deaths = Some(Box::new(Deaths::new(known)));
    Ok(())
}

/// A schedule that killed a process is repeated: to find out why if a list of the deaths known was
/// given (the driver does), otherwise to show the finding again (the user does). Races are of no interest in it, and following the
/// detector would take long.
pub fn expect(rt: &mut Runtime) {
    rt.options.races = Races::Off;
    let known = rt.deaths.take();
    let diagnosing = known.is_some();
    let deaths = known.unwrap_or_else(|| Box::new(Deaths::new(Vec::new())));
    rt.deaths = Some(Box::new(Deaths {
        guarding: true,
        diagnosing,
        ..*deaths
    }));
}

/// Whether a schedule that killed a process is repeated.
pub fn is_repeating(rt: &Runtime) -> bool {
    rt.deaths.as_ref().is_some_and(|deaths| deaths.guarding)
}

/// The thread, whose operation was chosen, is about to run. True: it must not, it has ended.
#[cold]
pub fn before_step(rt: &mut Runtime, thread: ThreadId, kind: Kind) -> bool {
    let position = journal::position();
    let Some(deaths) = &mut rt.deaths else {
        return false;
    };
    let mut known = deaths.known.iter_mut();
    match known.find(|death| death.is_at(position)) {
        Some(death) => {
            death.reached = true;
            if kind == Kind::Start {
                end_at(rt, CALL_SITE.get());
                stand_before_exit(rt, thread);
                return true;
            }
            guard::begin(guard::Goal::End);
        }
        None if deaths.guarding => guard::begin(guard::Goal::Guard),
        None => {}
    }
    false
}

/// Tells that the thread's step was made: a step of the process's end becomes the finding that kills it.
#[cold]
pub fn after_step(rt: &mut Runtime, thread: ThreadId, kind: Kind) {
    guard::finish();
    if rt.executed.next == Next::Stopped {
        return;
    }
    // SAFETY: the world is mapped from the root on; the fiber of this step has been suspended, so that nobody writes
    // there.
    let doomed = unsafe { (*world()).engine.doomed.contains(thread) };
    if kind == Kind::Exit && doomed {
        // It was ending the process already.
        findings::doom(rt, thread);
        rt.executed.next = Next::Ended;
    }
}

/// The running thread is where it would go on with what kills the process.
pub fn end_at(rt: &mut Runtime, site: SiteId) {
    let position = journal::position();
    let mut known = rt.deaths.iter().flat_map(|deaths| &deaths.known);
    let death = known.find(|death| death.is_at(position));
    let finding = &death.expect("it was found before the step").finding;
    let instruction = finding
        .accesses
        .first()
        .map_or(0, |access| access.instruction);
    let (message, details) = (finding.message.clone(), finding.details.clone());
    findings::sentence(finding.kind, message, site, instruction, details);
}

/// The running thread, in a guarded run, was caught: it is about to end the process.
pub fn caught(rt: &mut Runtime) {
    let thread = rt.current;
    let Some(deaths) = &mut rt.deaths else { return };
    deaths.caught.push(journal::position());
    if deaths.diagnosing {
        findings::doom(rt, thread);
        stopping::stop_now(Stop::Incomplete("what was asked for is known".to_owned()));
    }
}

fn stand_before_exit(rt: &mut Runtime, thread: ThreadId) {
    // SAFETY: the world is mapped from the root on; the engine looks between two steps, when no fiber runs.
    unsafe {
        (*world()).threads[usize::from(thread.0)].fiber.pending = Kind::Exit as u8;
        (*world()).threads[usize::from(thread.0)].fiber.argument = Argument::NONE;
    }
    rt.executed.next = Next::Operation(Operation::new(Kind::Exit, SiteId::UNKNOWN));
}

/// The step of the ended execution, whose decisions these are, in which `thread` would have killed
/// the process.
pub fn position_in(rt: &Runtime, decisions: &[(ThreadId, u32)], thread: u32) -> Option<Position> {
    let deaths = rt.deaths.as_ref()?;
    let is_in = |death: &&Death| {
        let mut pairs = death.decisions.iter().zip(decisions);
        u32::from(death.position.thread) == thread
            && death.decisions.len() <= decisions.len()
            && pairs.all(|(&(t, a), &(u, b))| t == u.0 && a == b)
    };
    let known = deaths.known.iter().find(is_in).map(|death| death.position);
    let mut caught = deaths.caught.iter();
    known.or_else(|| caught.find(|at| u32::from(at.thread) == thread).copied())
}

/// Whether everything was explored, but a step that killed an earlier process was not come by: the
/// program does not do the same again.
pub fn is_one_missing(rt: &Runtime) -> bool {
    let known = rt.deaths.iter().flat_map(|deaths| &deaths.known);
    known.into_iter().any(|death| !death.reached)
}
