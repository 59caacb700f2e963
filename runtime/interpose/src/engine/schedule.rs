//! Schedules: an execution as text, and back.
//!
//! The thread numbers that were given (`creator.n` each, in order), a semicolon, and the decisions
//! (`THREAD` or `THREAD/ALTERNATIVE`); if calls were found to be events, another semicolon and which
//! ([`learned_events::encode`]); if a step kills the process, another semicolon, `dies` and the step (deaths.rs).
//! Numbers are dense in the order in which a run first met a thread, so a replay is told the order of
//! the run it repeats.

use super::findings::Pending;
use super::guide::Guide;
use super::runtime::{Runtime, Searching};
use super::steps::steps;
use super::{deaths, debugger, journal, learned_events};
use dpor_abi::journal::Position;
use dpor_explorer::program::ThreadId;
use dpor_explorer::{Explorer, SearchKind};
use dpor_machine::thread_limit;
use dpor_report::{text, Finding, FindingKind, Followed, Step};
use std::collections::BTreeMap;

/// The first `depth` decisions as text.
pub(super) fn schedule(rt: &Runtime, search: &Searching, depth: usize) -> String {
    let decisions = search.schedule();
    text(
        rt,
        decisions[..depth].iter().map(|&(thread, a)| (thread.0, a)),
    )
}

/// The decisions of these events, in this order, as text.
pub(super) fn reordered(rt: &Runtime, search: &Searching, order: &[usize]) -> String {
    let decisions = search.schedule();
    let decisions = order.iter().map(|&event| decisions[event]);
    text(rt, decisions.map(|(thread, a)| (thread.0, a)))
}

/// Decisions, thread and alternative each, as text.
pub(super) fn text(rt: &Runtime, decisions: impl Iterator<Item = (u16, u32)>) -> String {
    let names: Vec<String> = rt
        .names
        .iter()
        .map(|(creator, nth)| format!("{creator}.{nth}"))
        .collect();
    let decisions: Vec<String> = decisions
        .map(|decision| match decision {
            (thread, 0) => thread.to_string(),
            (thread, alternative) => format!("{thread}/{alternative}"),
        })
        .collect();
    let schedule = format!("{}; {}", names.join(" "), decisions.join(" "));
    match learned_events::encode() {
        events if events.is_empty() => schedule,
        events => format!("{schedule}; {events}"),
    }
}

/// For a thread that would have killed the process: in which step, `EVENTS.PASSIVE.THREAD`.
pub(super) fn death(rt: &Runtime, search: &Searching, pending: &Pending, depth: usize) -> String {
    if pending.kind != FindingKind::ProcessDeath {
        return String::new();
    }
    let thread = pending.accesses.first().map_or(0, |access| access.thread);
    let decisions = search.schedule();
    match deaths::position_in(rt, &decisions[..depth], thread) {
        Some(at) => format!("; dies {}.{}.{}", at.events, at.passives, at.thread),
        None => String::new(),
    }
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
    let schedule =
        parse(&finding.schedule).ok_or_else(|| format!("{path} holds no readable schedule"))?;
    learned_events::decode(&schedule.events)
        .ok_or_else(|| format!("{path} is of another program"))?;
    let path = path.clone();
    name_threads(rt, &schedule).ok_or_else(|| format!("{path} names a thread that cannot be"))?;
    let search = match loosely.is_empty() {
        true => SearchKind::Replay(schedule.decisions),
        false => {
            rt.guide = Some(Box::new(Guide::new(&finding.trace, &loosely)));
            SearchKind::Guided
        }
    };
    rt.expected = Some(finding);
    if schedule.death.is_some() {
        deaths::expect(rt);
    }
    journal::calls(&schedule.events);
    let config = super::root::config(search, &rt.options);
    *searching = Searching::Alone(Explorer::new(config));
    debugger::begin();
    Ok(())
}

/// Gives threads the numbers that they have in a schedule.
pub(super) fn name_threads(rt: &mut Runtime, schedule: &Schedule) -> Option<()> {
    // The child whose creation made the root was named already, perhaps with another number.
    rt.names.clear();
    for &(creator, nth) in &schedule.names {
        journal::name(rt.names.len(), creator, nth);
        rt.names.push((creator, nth));
        let number = rt.names.len() as u16;
        rt.set_number((creator, nth), number);
    }
    (rt.names.len() < thread_limit::get()).then_some(())
}

/// A schedule's text, read.
pub struct Schedule {
    /// Creator and number of each thread but the first.
    names: Vec<(u16, u16)>,
    /// Thread and alternative of each event.
    pub decisions: Vec<(ThreadId, u32)>,
    /// Calls that are events ([`learned_events::encode`]).
    pub events: String,
    /// The step that kills the process.
    pub death: Option<Position>,
}

/// Reads a schedule.
pub fn parse(schedule: &str) -> Option<Schedule> {
    let mut parts = schedule.split(';').map(str::trim);
    let (names, decisions) = (parts.next()?, parts.next()?);
    let (mut events, mut death) = (String::new(), None);
    for part in parts {
        match part.strip_prefix("dies ") {
            Some(step) => death = Some(parse_position(step)?),
            None => part.clone_into(&mut events),
        }
    }
    let names = names.split_ascii_whitespace().map(|name| {
        let (creator, nth) = name.split_once('.')?;
        Some((creator.parse().ok()?, nth.parse().ok()?))
    });
    let decisions = decisions.split_ascii_whitespace().map(|decision| {
        let (thread, alternative) = decision.split_once('/').unwrap_or((decision, "0"));
        Some((ThreadId(thread.parse().ok()?), alternative.parse().ok()?))
    });
    Some(Schedule {
        names: names.collect::<Option<_>>()?,
        decisions: decisions.collect::<Option<_>>()?,
        events,
        death,
    })
}

fn parse_position(text: &str) -> Option<Position> {
    let mut numbers = text.split('.');
    let position = Position {
        events: numbers.next()?.parse().ok()?,
        passives: numbers.next()?.parse().ok()?,
        thread: numbers.next()?.parse().ok()?,
    };
    numbers.next().is_none().then_some(position)
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
    difference(&steps(trace, trace.len()), &expected.trace)
}

/// Where the events of the ended execution up to so many decisions are not those of the recorded trace.
pub fn difference_before(
    search: &Searching,
    expected: &Finding,
    decisions: usize,
) -> Option<String> {
    let made = steps(search.trace(), decisions);
    match expected.trace.get(..made.len()) {
        Some(expected) => difference(&made, expected),
        None => Some("the schedule has fewer events".to_owned()),
    }
}

fn difference(made: &[Step], expected: &[Step]) -> Option<String> {
    let mut objects = Renaming::default();
    for (k, want) in expected.iter().enumerate() {
        let Some(got) = made.get(k) else {
            return Some(format!(
                "the schedule has {} events, the program made {k}",
                expected.len()
            ));
        };
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
