//! Schedules: an execution as text ([`dpor_report::Schedule`]), and one that is repeated.
//!
//! What was learnt to be an event is what [`learned_events::encode`] says, the step that kills the process what
//! deaths.rs knows of it.

use crate::knowledge::findings::Pending;
use crate::knowledge::guide::Guide;
use crate::runtime::Runtime;
use crate::searching::Searching;
use crate::steps::outline;
use crate::{by_states, deaths, debugger, journal, learned_events};
use dpor_abi::journal::Position;
use dpor_explorer::{Explorer, SearchKind};
use dpor_machine::thread_limit;
use dpor_model::ThreadId;
use dpor_report::outline::Outline;
use dpor_report::{text, Child, Decision, Finding, FindingKind, Followed, Schedule, Step};
use std::collections::BTreeMap;

/// What leads to a finding, as text: the first `depth` decisions.
pub(crate) fn schedule(
    rt: &Runtime,
    search: &Searching,
    pending: &Pending,
    depth: usize,
) -> String {
    let decisions = &search.schedule()[..depth];
    let schedule = Schedule {
        death: death(rt, decisions, pending),
        ..made(rt, decisions.iter().map(|&(thread, a)| (thread.0, a)))
    };
    schedule.to_string()
}

/// The decisions of these events, in this order, as text.
pub(crate) fn reordered(rt: &Runtime, search: &Searching, order: &[usize]) -> String {
    let decisions = search.schedule();
    let decisions = order.iter().map(|&event| decisions[event]);
    text(rt, decisions.map(|(thread, a)| (thread.0, a)))
}

/// Decisions, thread and alternative each, as text.
pub fn text(rt: &Runtime, decisions: impl Iterator<Item = (u16, u32)>) -> String {
    made(rt, decisions).to_string()
}

fn made(rt: &Runtime, decisions: impl Iterator<Item = (u16, u32)>) -> Schedule {
    let threads = rt.names.iter();
    Schedule {
        threads: threads
            .map(|&(creator, nth)| Child { creator, nth })
            .collect(),
        decisions: decisions
            .map(|(thread, alternative)| Decision {
                thread,
                alternative,
            })
            .collect(),
        learned: learned_events::encode(),
        death: None,
    }
}

/// Decisions as the search has them.
pub(crate) fn of_search(decisions: &[Decision]) -> Vec<(ThreadId, u32)> {
    let pairs = decisions.iter();
    pairs
        .map(|decision| (ThreadId(decision.thread), decision.alternative))
        .collect()
}

/// For a thread that would have killed the process: in which step.
fn death(rt: &Runtime, decisions: &[(ThreadId, u32)], pending: &Pending) -> Option<Position> {
    if pending.kind != FindingKind::ProcessDeath {
        return None;
    }
    let thread = pending.accesses.first().map_or(0, |access| access.thread);
    deaths::position_in(rt, decisions, thread)
}

/// If a replay is asked for: reads the finding and sets the search up to repeat it.
///
/// # Errors
/// One sentence.
pub fn prepare_replay(rt: &mut Runtime, searching: &mut Searching) -> Result<(), String> {
    if rt.options.replay.is_empty() {
        return Ok(());
    }
    let path = &rt.options.replay;
    let text = std::fs::read_to_string(path).map_err(|why| format!("cannot read {path}: {why}"))?;
    let Followed { finding, loosely } =
        serde_json::from_str(&text).map_err(|why| format!("{path} is no schedule: {why}"))?;
    let finding = finding.as_recorded();
    let schedule = finding.schedule.parse::<Schedule>();
    let schedule = schedule.map_err(|why| format!("{path} holds no readable schedule: {why}"))?;
    learned_events::decode(&schedule.learned)
        .ok_or_else(|| format!("{path} is of another program"))?;
    let path = path.clone();
    name_threads(rt, &schedule).ok_or_else(|| format!("{path} names a thread that cannot be"))?;
    let decisions = by_states::repeated_loop::decisions(&finding, &schedule.decisions);
    let search = match loosely.is_empty() {
        true => SearchKind::Replay(of_search(&decisions)),
        false => {
            rt.guide = Some(Box::new(Guide::new(&finding.trace, &loosely)));
            SearchKind::Guided
        }
    };
    by_states::repeated_loop::expect(rt, &finding, schedule.decisions.len());
    rt.expected = Some(finding);
    if schedule.death.is_some() {
        deaths::expect(rt);
    }
    journal::calls(&schedule.learned);
    let mut config = crate::search_config::config(search, &rt.options);
    if rt.options.is_by_states() {
        // What comes behind may go on for ever.
        config.max_events = Some(decisions.len() as u64);
    }
    *searching = Searching::Alone(Explorer::new(config));
    debugger::begin(rt);
    Ok(())
}

/// Gives threads the numbers that they have in a schedule.
pub(crate) fn name_threads(rt: &mut Runtime, schedule: &Schedule) -> Option<()> {
    // The child whose creation made the root was named already, perhaps with another number.
    rt.names.clear();
    for &Child { creator, nth } in &schedule.threads {
        journal::name(rt.names.len(), creator, nth);
        rt.names.push((creator, nth));
        let number = rt.names.len() as u16;
        rt.set_number((creator, nth), number);
    }
    (rt.names.len() < thread_limit::get()).then_some(())
}

/// A run that follows a schedule does something else. Which of the two is why cannot be seen from here.
pub fn not_as_recorded(why: &str) -> String {
    format!(
        "not as recorded (the schedule was edited, or the program does not do the same every time): {why}"
    )
}

/// Where a replay left the recorded trace: `None` if it followed it.
pub fn divergence(rt: &Runtime, search: &Searching) -> Option<String> {
    let expected = rt.expected.as_ref().filter(|_| rt.guide.is_none())?;
    let trace = search.trace();
    difference(&outline(trace, trace.len()), expected, expected.trace.len())
}

/// Where the events of the ended execution up to so many decisions are not those of the recorded trace.
pub fn difference_before(
    search: &Searching,
    expected: &Finding,
    decisions: usize,
) -> Option<String> {
    let made = outline(search.trace(), decisions);
    if expected.steps() < made.len() as u64 {
        return Some("the schedule has fewer events".to_owned());
    }
    let numbers = expected.numbers();
    let so_far = numbers.partition_point(|&number| number < made.len() as u64);
    difference(&made, expected, so_far)
}

/// Where the first `so_far` of the recorded steps differ. Those that the report leaves out may be anything.
fn difference(made: &Outline<'_>, expected: &Finding, so_far: usize) -> Option<String> {
    let mut objects = Renaming::default();
    for (want, k) in expected.trace[..so_far].iter().zip(expected.numbers()) {
        if k >= made.len() as u64 {
            return Some(format!(
                "the schedule has {} events, the program made {}",
                expected.steps(),
                made.len()
            ));
        }
        let got = made.step(k as usize);
        let of_objects = || {
            let differ = !objects.agree(got, want);
            differ.then(|| ("object", got.object.clone(), want.object.clone()))
        };
        if let Some((field, now, then)) = differing_field(got, want).or_else(of_objects) {
            return Some(format!(
                "event {k}, T{} {} at {}:{}, differs in its {field}: it is {now}, and {then} in the schedule",
                got.thread, got.operation, got.place.file, got.place.line,
            ));
        }
    }
    None
}

/// The first field, its object left out, in which an event is not as recorded: its name, what it is now, what was
/// recorded.
fn differing_field(got: &Step, want: &Step) -> Option<(&'static str, String, String)> {
    let thread = |step: &Step| format!("T{}", step.thread);
    let number = |number: u32| number.to_string();
    let (now, then) = (&got.place, &want.place);
    let fields = [
        ("thread", thread(got), thread(want)),
        ("operation", got.operation.clone(), want.operation.clone()),
        ("file", now.file.clone(), then.file.clone()),
        ("line", number(now.line), number(then.line)),
        ("column", number(now.column), number(then.column)),
        ("function", now.function.clone(), then.function.clone()),
    ];
    let inlined = || {
        let place = |step: &Step| {
            let outer = step.place.inlined_into.iter().map(text::place);
            outer.collect::<Vec<String>>().join(", ")
        };
        let differ = now.inlined_into != then.inlined_into;
        differ.then(|| ("place of inlining", place(got), place(want)))
    };
    let differs = |(_, now, then): &(&str, String, String)| now != then;
    fields.into_iter().find(differs).or_else(inlined)
}

/// Which object of the recorded run is which one now. Addresses may differ (main's stack lies
/// elsewhere with another environment), so an object is known by the events on it.
#[derive(Default)]
struct Renaming {
    now: BTreeMap<u64, u64>,
    then: BTreeMap<u64, u64>,
}

impl Renaming {
    /// Whether two events can be on the same object, after all events before.
    fn agree(&mut self, got: &Step, want: &Step) -> bool {
        if got.address == 0 || want.address == 0 {
            return got.address == want.address && got.object == want.object;
        }
        *self.now.entry(want.address).or_insert(got.address) == got.address
            && *self.then.entry(got.address).or_insert(want.address) == want.address
    }
}
