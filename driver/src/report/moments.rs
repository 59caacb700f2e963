//! What happens in a trace, as people read it: its steps, and between them those accesses of the finding that are none.
//!
//! ```text
//!   step 4   T1  unlocks m
//!   access   T1  writes node          the access came after step 4 and before step 5
//!   step 5   T2  locks m
//! ```
//!
//! Where an access came the runtime says ([`Access::step`]). Of one whose place in the trace is not known there is no
//! moment.

use super::dot::{event_of, order};
use super::table::place::Places;
use super::unordered;
use dpor_report::{phrases, text, Access, Finding, Step};
use std::borrow::Cow;

/// A step of a trace, or an access between two steps.
pub struct Moment<'a> {
    /// Index in the trace of the step, or of the one before which the access came.
    pub at: usize,
    /// True if it is a step.
    pub is_step: bool,
    /// The step, or the access in the form of one.
    pub step: Cow<'a, Step>,
    /// True if the finding is about it.
    pub is_marked: bool,
    /// The access, if it is one of the finding's and no step.
    pub access: Option<&'a Access>,
    /// True if the thread stands before it for ever.
    pub waits: bool,
    /// Who holds what it waits for, to be put behind the words.
    pub tail: String,
    /// What else is to be known of the step; empty if there is nothing.
    pub note: String,
    /// What is to be said instead, where it stands for several steps; otherwise empty.
    pub instead: String,
}

impl Moment<'_> {
    /// What the thread does, in words.
    pub fn text(&self) -> String {
        self.text_with(&self.step.object)
    }

    /// What the thread does, with another name for the object.
    pub fn text_with(&self, object: &str) -> String {
        if !self.instead.is_empty() {
            return self.instead.clone();
        }
        let named = || {
            phrases::step(&Step {
                object: object.to_owned(),
                ..(*self.step).clone()
            })
        };
        let waits = self
            .waits
            .then(|| phrases::before(&self.step.operation, object));
        waits.flatten().unwrap_or_else(named) + &self.tail
    }
}

/// All moments of a finding, in their order.
pub fn moments(finding: &Finding) -> Vec<Moment<'_>> {
    let steps = finding.trace.iter().enumerate();
    let mut steps: Vec<Moment<'_>> = steps
        .map(|(at, step)| Moment {
            at,
            is_step: true,
            step: Cow::Borrowed(step),
            is_marked: false,
            access: None,
            waits: false,
            tail: String::new(),
            note: String::new(),
            instead: String::new(),
        })
        .collect();
    for access in accesses(finding) {
        if let (None, Some(event)) = (position(access, finding), event_of(access, finding)) {
            steps[event].is_marked = true;
        }
    }
    if let Some((read, why)) = unordered::why(finding) {
        steps[read].note = why;
    }
    let of_steps = finding.trace.iter().map(|step| &step.place);
    let places = Places::new(of_steps.chain(accesses(finding).map(|access| &access.place)));
    let mut between: Vec<Moment<'_>> = { accesses(finding) }
        .filter_map(|access| between(access, finding, &places))
        .collect();
    between.sort_by_key(|access| access.at);
    let mut all = Vec::with_capacity(steps.len() + between.len());
    let mut between = between.into_iter().peekable();
    for step in steps {
        while let Some(access) = between.next_if(|access| access.at <= step.at) {
            all.push(access);
        }
        all.push(step);
    }
    all.extend(between);
    all
}

/// What a finding is about, in the order in which it came where nothing else tells: the free of a block before its uses.
fn accesses(finding: &Finding) -> impl Iterator<Item = &Access> {
    let freed = finding
        .object
        .as_ref()
        .and_then(|object| object.freed.as_deref());
    let is_free = move |access: &&Access| freed.is_some_and(|freed| is_same(freed, access));
    let others = finding
        .accesses
        .iter()
        .filter(move |access| !is_free(access));
    freed.into_iter().chain(others)
}

/// Whether two accesses are the same, as a free and the write that it is.
pub fn is_same(one: &Access, other: &Access) -> bool {
    (one.thread, one.step, &one.place) == (other.thread, other.step, &other.place)
}

/// Index of the step before which an access came, if it is no step and that is known.
pub fn position(access: &Access, finding: &Finding) -> Option<usize> {
    let step = usize::try_from(access.step?).ok()?;
    (step <= finding.trace.len()).then_some(step)
}

/// The moment of an access that is no step.
fn between<'a>(access: &'a Access, finding: &Finding, places: &Places) -> Option<Moment<'a>> {
    let at = position(access, finding)?;
    let waits = phrases::wait(access).is_some();
    let object = match (waits, &finding.object) {
        (true, _) => access.object.clone(),
        (false, Some(object)) => without_offset(&object.name).to_owned(),
        (false, None) => String::new(),
    };
    let tail = match waits {
        true => phrases::holder(access, finding, |place| places.short(place)),
        false => String::new(),
    };
    Some(Moment {
        at,
        is_step: false,
        step: Cow::Owned(Step {
            thread: access.thread,
            operation: access.access.clone(),
            object,
            place: access.place.clone(),
            ..Step::default()
        }),
        is_marked: true,
        access: Some(access),
        waits,
        tail,
        note: String::new(),
        instead: String::new(),
    })
}

/// The name of an object without where in it the bytes are: `heap block of 8 bytes`.
fn without_offset(name: &str) -> &str {
    name.split(", offset ").next().unwrap_or(name)
}

/// Events of a trace that is searched for what is ordered before both accesses: each takes a clock (chosen: a tenth of a
/// second).
const SEARCHED_MAX: usize = 100_000;

/// For each step of the trace, whether it is shown: as [`text::shown`] says, and what the threads of the two accesses did
/// since the last event that is ordered before both.
pub fn shown(finding: &Finding, full: bool) -> Vec<bool> {
    text::shown_with(finding, full, &since_common(finding))
}

/// For each step, whether one of the two threads did it between the last event that is ordered before both accesses, which
/// is one of them, and its own access.
pub fn since_common(finding: &Finding) -> Vec<bool> {
    let mut since = vec![false; finding.trace.len()];
    let sides = { accesses(finding) }
        .filter(|access| phrases::wait(access).is_none())
        .filter_map(|access| {
            let event = event_of(access, finding);
            let at = position(access, finding).or(event)?;
            Some((access.thread, at))
        });
    let sides: Vec<(u32, usize)> = sides.collect();
    let [one, other] = sides[..] else {
        return since;
    };
    if finding.trace.len() > SEARCHED_MAX {
        return since;
    }
    let common = order::last_common(&finding.trace, [one, other]);
    for (number, step) in finding.trace.iter().enumerate().skip(common.unwrap_or(0)) {
        let is_own = |side: (u32, usize)| step.thread == side.0 && number < side.1;
        since[number] = Some(number) == common || is_own(one) || is_own(other);
    }
    since
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_report::{FindingKind, MemoryOrder, Object, Place};

    fn step(thread: u32, operation: &str, object: &str) -> Step {
        Step {
            thread,
            operation: operation.to_owned(),
            object: object.to_owned(),
            ..Step::default()
        }
    }

    fn access(thread: u32, access: &str, step: Option<u64>) -> Access {
        Access {
            thread,
            access: access.to_owned(),
            step,
            ..Access::default()
        }
    }

    fn finding(trace: Vec<Step>, accesses: Vec<Access>) -> Finding {
        let status = std::os::unix::process::ExitStatusExt::from_raw(6);
        Finding {
            kind: FindingKind::DataRace,
            object: Some(Object {
                name: "node".to_owned(),
                ..Object::default()
            }),
            trace,
            accesses,
            ..crate::report::plain::finding(status).expect("a finding")
        }
    }

    fn two() -> Vec<Step> {
        vec![
            step(0, "thread-create", "T1"),
            step(1, "lock", "m"),
            step(1, "unlock", "m"),
            step(2, "lock", "m"),
        ]
    }

    fn texts(finding: &Finding) -> Vec<String> {
        let all = moments(finding).into_iter();
        all.map(|moment| format!("T{} {}", moment.step.thread, moment.text()))
            .collect()
    }

    #[test]
    fn accesses_stand_where_they_came() {
        let sides = |one, other| vec![access(1, "write", one), access(2, "read", other)];
        let race = finding(two(), sides(Some(3), Some(4)));
        let expect = [
            "T0 starts T1",
            "T1 locks m",
            "T1 unlocks m",
            "T1 writes node",
            "T2 locks m",
            "T2 reads node",
        ];
        assert_eq!(texts(&race), expect);
        // Before all steps; and where it is not known, or cannot be, there is none.
        let race = finding(two(), sides(Some(0), None));
        assert_eq!(texts(&race)[..2], ["T1 writes node", "T0 starts T1"]);
        assert_eq!(moments(&race).len(), 5);
        assert_eq!(moments(&finding(two(), sides(Some(5), None))).len(), 4);
    }

    #[test]
    fn a_free_is_no_write() {
        let mut race = finding(
            two(),
            vec![access(1, "write", Some(3)), access(2, "read", Some(4))],
        );
        let object = race.object.as_mut().expect("an object");
        object.freed = Some(Box::new(access(1, "free", Some(3))));
        let expect = ["T1 frees node", "T2 locks m", "T2 reads node"];
        assert_eq!(texts(&race)[3..], expect);
    }

    #[test]
    fn waits_say_for_what() {
        let mut wait = access(1, "lock", Some(4));
        (wait.object, wait.held_by, wait.held_since) = ("m".to_owned(), Some(2), Some(3));
        let mut trace = two();
        trace[3].place = Place {
            file: "x.c".to_owned(),
            line: 9,
            ..Place::default()
        };
        let deadlock = finding(trace, vec![wait]);
        assert_eq!(
            texts(&deadlock)[4],
            "T1 waits for m, held by T2 since x.c:9"
        );
    }

    /// Of T1 and T2, what comes behind the creation of T2; of two that a mutex orders, what comes behind its unlock.
    #[test]
    fn since_the_last_order_everything_is_shown() {
        let mut trace = vec![
            step(0, "thread-create", "T1"),
            step(0, "thread-create", "T2"),
        ];
        trace.extend(vec![step(1, "lock", "own"); 3]);
        trace.extend(vec![step(3, "lock", "other"); 2]);
        trace.push(step(2, "lock", "mine"));
        let sides = |len: u64| vec![access(1, "write", Some(5)), access(2, "read", Some(len))];
        let shown = |trace: Vec<Step>| {
            let sides = sides(trace.len() as u64);
            let since = since_common(&finding(trace, sides)).into_iter().enumerate();
            let since = since.filter_map(|(number, is_shown)| is_shown.then_some(number));
            since.collect::<Vec<_>>()
        };
        // T1 knows its creation, 0, and T2 what T0 did up to 1, so 0 is the last that is common.
        assert_eq!(shown(trace.clone()), [0, 2, 3, 4, 7]);
        // An order that the trace does not tell for sure is none; one that it tells is.
        let flag = |thread, operation, order| Step {
            order: Some(order),
            ..step(thread, operation, "flag")
        };
        use MemoryOrder::{Acquire, Relaxed, Release};
        trace[2] = flag(1, "atomic-store", Release);
        trace[7] = flag(2, "atomic-load", Relaxed);
        assert_eq!(shown(trace.clone()), [0, 2, 3, 4, 7]);
        trace[7] = flag(2, "atomic-load", Acquire);
        // T2 knows the store, 2; what it did behind that is its load.
        assert_eq!(shown(trace), [2, 3, 4, 7]);
    }
}
