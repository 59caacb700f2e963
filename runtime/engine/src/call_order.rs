//! In which orders in time the calls of a scenario may come (`dpor scenario`): told by the order of a trace, or looked at.
//!
//! Whether results are explained may depend on which calls had returned before others began, and executions of one trace
//! differ in that. So the program marks where its calls begin and end, and is asked at the end of an execution about all
//! orders of these marks that executions of the trace have ([`dpor_explorer::Trace::marks`]). If one of them is not
//! explained, a schedule that shows it is wanted: the search begins anew with that scenario alone, in which calls
//! look at which others returned ([`Masks::One`]). Those looks are events, so that each order is an execution.
//!
//! Where the orders are not known, calls look from the beginning ([`Masks::All`]).

use crate::learned_events::{self, Masks};
use crate::properties::look::{self, Write};
use crate::running::active;
use crate::runtime::{runtime, Runtime};
use crate::search_config;
use crate::stop::Stop;
use crate::stopping::leave_step;
use crate::verdict;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use dpor_abi::options::{Options, Races};
use dpor_explorer::{End, Trace};
use dpor_machine::state::Kept;
use dpor_model::{Argument, Kind, Operation, SiteId};

/// Number of marks at most: begin and end of eight calls.
const MARKS: usize = 16;

/// Bytes that the program may say.
const BYTES: usize = 32;

/// The program's function that judges; 0: it has none.
static JUDGE: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Whether the program has the checker ignore accesses (`dpor_ignore_begin`).
static ARE_IGNORED: Kept<AtomicBool> = Kept::new(AtomicBool::new(false));

/// Of each mark of the execution that ended, those that come before it in all executions of the trace.
static BEFORE: Kept<[AtomicU32; MARKS]> = Kept::new([const { AtomicU32::new(0) }; MARKS]);

/// From here on the program is asked at the end of executions.
pub fn ask(judge: Write) {
    JUDGE.store(judge as usize, Ordering::Relaxed);
    if !active() {
        return;
    }
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &*runtime() };
    if is_blind(&rt.options) {
        look_always(rt);
    }
}

/// At the root: if these options do not tell the orders of a trace, the search knows that calls have to look. A schedule
/// that is run again or made shorter says itself what was known.
pub fn at_root(options: &Options) {
    let is_told = !options.replay.is_empty() || !options.seek.is_empty();
    let has_calls = JUDGE.load(Ordering::Relaxed) != 0;
    if has_calls && !is_told && is_blind(options) {
        learned_events::know_masks(Masks::All);
    }
}

/// Whether nothing is known of the orders in time that executions of a trace have, or these executions may differ by plain
/// accesses that race unseen.
fn is_blind(options: &Options) -> bool {
    matches!(options.races, Races::Warn | Races::Off)
        || ARE_IGNORED.load(Ordering::Relaxed)
        || !search_config::reductions(options).calls
}

/// Whether the program has calls, and the orders of a trace are told in this search.
pub fn is_told() -> bool {
    JUDGE.load(Ordering::Relaxed) != 0 && learned_events::masks() == Masks::None
}

/// The running thread marks where it is. False: nothing is known of marks, and calls have to look.
pub fn mark(number: u64) -> bool {
    let is_used = active() && is_told() && number < MARKS as u64;
    if is_used {
        let mark = Operation {
            argument: Argument::of_program(number),
            ..Operation::new(Kind::Mark, SiteId::UNKNOWN)
        };
        // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
        unsafe { (*runtime()).passed.push(mark) };
    }
    is_used
}

/// The marks that come before a mark in all executions of the trace that ended last. For a function that judges.
pub fn before(number: usize) -> u32 {
    let mark = BEFORE.get(number);
    mark.map_or(0, |before| before.load(Ordering::Relaxed))
}

/// Whether this scenario is to be run in this search.
pub fn is_wanted(scenario: u32) -> bool {
    !active()
        || match learned_events::masks() {
            Masks::One(one) => one == scenario,
            Masks::None | Masks::All | Masks::Each => true,
        }
}

/// The running thread found that something is wrong with the scenario, and an execution is wanted that shows it with the
/// order in time of its calls. Comes back where that cannot be looked for.
pub fn doubt_at_once(scenario: u32) {
    // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
    let rt = unsafe { &*runtime() };
    if active() && doubt(rt, scenario) {
        leave_step();
    }
}

/// The running thread's plain accesses are ignored from now on: they may race unseen, so that executions of a trace differ,
/// and calls have to look.
pub fn accesses_are_ignored() {
    ARE_IGNORED.store(true, Ordering::Relaxed);
    if active() && is_told() {
        // SAFETY: a fiber runs, so the runtime is installed, and the engine, inside a step, holds no reference to it.
        look_always(unsafe { &*runtime() });
    }
}

/// Calls have to look, in all scenarios: the search begins anew. Comes back where that cannot be learnt.
fn look_always(rt: &Runtime) {
    if learned_events::masks() == Masks::None && can_learn(rt) {
        learned_events::learn_masks(Masks::All);
        leave_step();
    }
}

/// Whether something may be learnt: not where one schedule is run again, or one finding looked for.
fn can_learn(rt: &Runtime) -> bool {
    !rt.is_replay() && rt.options.seek.is_empty()
}

/// Learns that the calls of the scenario have to look. False: it cannot be learnt, since one schedule is run again, or
/// one finding looked for.
fn doubt(rt: &Runtime, scenario: u32) -> bool {
    let can = can_learn(rt);
    if can {
        learned_events::learn_masks(match rt.options.keep_going {
            // All findings are wanted.
            true => Masks::Each,
            false => Masks::One(scenario),
        });
    }
    can
}

/// An execution of `trace` ended: notes the order of its marks, for functions that judge. Whether it has any.
pub fn note(trace: &Trace) -> bool {
    if !is_told() {
        return false;
    }
    let marks = trace.marks();
    for &(number, before) in &marks {
        BEFORE[number as usize].store(before as u32, Ordering::Relaxed);
    }
    !marks.is_empty()
}

/// An execution ended whose marks were noted: whether the search has to begin anew. `is_wrong`: what is known already.
pub fn is_doubtful(rt: &mut Runtime, end: &End, is_wrong: bool) -> bool {
    if !is_wrong && !matches!(end, End::Complete | End::Exited) {
        return false;
    }
    match judge() {
        Ok((is_explained, scenario)) => (is_wrong || !is_explained) && doubt(rt, scenario),
        Err(what) => {
            let what = format!("the function given to dpor_when_ended {what}");
            rt.stop = Some(Stop::Unsupported(what));
            false
        }
    }
}

/// What the program says of the execution: whether its results are explained, and which scenario it was. On the engine's
/// context.
fn judge() -> Result<(bool, u32), &'static str> {
    let judge = JUDGE.load(Ordering::Relaxed);
    // SAFETY: the number is that of a function of this type, which `ask` was given.
    let judge = unsafe { core::mem::transmute::<usize, Write>(judge) };
    let said = look::call(judge, BYTES)?;
    let said = said.split(|&byte| byte == 0).next().unwrap_or_default();
    let number = said
        .get(1..)
        .and_then(|rest| core::str::from_utf8(rest).ok());
    let number = number.and_then(|number| number.parse().ok());
    match (said.first(), number) {
        (Some(b'+'), Some(number)) => Ok((true, number)),
        (Some(b'-'), Some(number)) => Ok((false, number)),
        _ => Err("does not say + or - and a number"),
    }
}

/// The search went over everything, and an execution that has to be there was not found: it is one of those that were
/// left out, or the checker makes a mistake.
pub fn unconfirmed(rt: &Runtime) -> Option<Stop> {
    let scenario = match learned_events::masks() {
        Masks::One(scenario) => format!("scenario {scenario}"),
        Masks::Each => "a scenario".to_owned(),
        Masks::None | Masks::All => return None,
    };
    let is_whole =
        rt.stop.is_none() && !rt.findings.has_bug && !rt.is_replay() && rt.options.seek.is_empty();
    let what = match verdict::left_out(rt).next() {
        None => Stop::Failure(format!(
            "[dpor internal bug] no execution shows what is wrong with {scenario}, though its trace has one (--reductions=none)"
        )),
        // The reasons for that are in the verdict, too.
        Some(_) => Stop::Incomplete(format!(
            "{scenario} has results that no order of its calls explains, and the executions that show it were cut"
        )),
    };
    is_whole.then_some(what)
}
