//! Which steps of a trace matter for its finding.
//!
//! A trace that fits on a screen is shown whole. Of a longer one: what creates threads; what uses
//! the objects that the finding is about; of the threads that the finding is about, the steps where
//! they come to run, their last, those of threads whose end they wait for, and those where an object
//! comes to them from another thread, or goes from them to one, with what that thread did there.

use crate::outline::Outline;
use crate::{Finding, FindingKind, Step};
use std::collections::{BTreeMap, BTreeSet};

/// Steps of a trace that is shown whole (chosen: a screen of 50 lines has them and what is wrong).
const WHOLE_MAX: usize = 40;

/// For each step of the trace, whether it is worth showing.
pub fn mattering(finding: &Finding) -> Vec<bool> {
    mattering_of(finding, &Outline::of(&finding.trace))
}

/// The same of a finding with these steps.
pub(crate) fn mattering_of(finding: &Finding, steps: &Outline<'_>) -> Vec<bool> {
    if steps.len() <= WHOLE_MAX {
        return vec![true; steps.len()];
    }
    let concerned = threads(finding, steps);
    let known = Known::of(steps, &concerned);
    let mut matters = handed_over(steps, &known);
    let last = last_of_threads(steps, &known);
    let last = { last.into_iter().flatten() }.filter(|&last| known.at(steps, last).is_concerned);
    let last: Vec<usize> = last.collect();
    let objects = objects(finding, steps, &last);
    let is_about = |step: &Step| !step.object.is_empty() && objects.contains(step.object.as_str());
    let is_about: Vec<bool> = steps.distinct().iter().map(is_about).collect();
    for &number in &last {
        matters[number] = true;
    }
    let mut before = None;
    for (number, &index) in steps.order().iter().enumerate() {
        let step = &known.steps[index as usize];
        let comes_to_run = before != Some(step.thread);
        before = Some(step.thread);
        matters[number] |=
            step.is_creation || is_about[index as usize] || step.is_concerned && comes_to_run;
    }
    if let Some(last) = matters.last_mut() {
        *last = true;
    }
    let critical = finding.critical_step.map(|critical| critical as usize);
    if let Some(critical) = critical.and_then(|critical| matters.get_mut(critical)) {
        *critical = true;
    }
    matters
}

/// The threads that the finding is about: of its accesses, or else the last that ran; all where it is how
/// a whole execution went.
fn threads(finding: &Finding, steps: &Outline<'_>) -> BTreeSet<u32> {
    if finding.kind == FindingKind::OutcomeDifference {
        return { steps.distinct().iter() }
            .map(|step| step.thread)
            .collect();
    }
    let accesses = finding.accesses.iter().map(|access| access.thread);
    let threads: BTreeSet<u32> = accesses.collect();
    match threads.is_empty() {
        true => steps.last().map(|step| step.thread).into_iter().collect(),
        false => threads,
    }
}

/// What is looked at of the distinct steps, so that each step of a long trace takes a few words.
struct Known {
    steps: Vec<KnownStep>,
    /// The number of threads, and of objects.
    threads: usize,
    objects: usize,
}

struct KnownStep {
    /// Its thread among those of the trace.
    thread: usize,
    /// Its object among those of the trace, by its address, or by its name if it has none.
    object: Option<usize>,
    /// The thread that it joins, among those of the trace.
    joined: Option<usize>,
    /// The finding is about its thread.
    is_concerned: bool,
    is_creation: bool,
    only_reads: bool,
}

impl Known {
    fn of(steps: &Outline<'_>, concerned: &BTreeSet<u32>) -> Known {
        let mut threads: BTreeMap<u32, usize> = BTreeMap::new();
        let mut objects: BTreeMap<(u64, &str), usize> = BTreeMap::new();
        for step in steps.distinct() {
            let next = threads.len();
            threads.entry(step.thread).or_insert(next);
        }
        let known = |step: &Step, object| {
            let is_concerned = concerned.contains(&step.thread);
            let joins = step.operation == "thread-join" && is_concerned;
            let joined = joins.then(|| step.object.trim_start_matches('T').parse().ok());
            KnownStep {
                thread: threads[&step.thread],
                object,
                joined: joined
                    .flatten()
                    .and_then(|joined: u32| threads.get(&joined).copied()),
                is_concerned,
                is_creation: step.operation == "thread-create",
                only_reads: only_reads(step),
            }
        };
        let mut all = Vec::with_capacity(steps.distinct().len());
        for step in steps.distinct() {
            let name = if step.address == 0 {
                step.object.as_str()
            } else {
                ""
            };
            let next = objects.len();
            let has_object = !step.object.is_empty();
            let object = has_object.then(|| *objects.entry((step.address, name)).or_insert(next));
            all.push(known(step, object));
        }
        Known {
            threads: threads.len(),
            objects: objects.len(),
            steps: all,
        }
    }

    fn of_index(&self, index: u32) -> &KnownStep {
        &self.steps[index as usize]
    }

    /// The step with this number.
    fn at(&self, steps: &Outline<'_>, number: usize) -> &KnownStep {
        self.of_index(steps.order()[number])
    }
}

/// The last step of each thread of the trace.
fn last_of_threads(steps: &Outline<'_>, known: &Known) -> Vec<Option<usize>> {
    let mut last = vec![None; known.threads];
    for (number, &index) in steps.order().iter().enumerate() {
        last[known.of_index(index).thread] = Some(number);
    }
    last
}

/// Names of the objects that the finding is about: its own, locks held, what its threads did last.
fn objects<'a>(finding: &'a Finding, steps: &'a Outline<'_>, last: &[usize]) -> BTreeSet<&'a str> {
    let own = finding.object.iter().map(|object| object.name.as_str());
    let locks = finding.accesses.iter().flat_map(|access| &access.locks);
    let last = last
        .iter()
        .map(|&number| steps.step(number).object.as_str());
    own.chain(locks.map(String::as_str)).chain(last).collect()
}

/// Whether a step is one of the two of each two threads, one of them concerned, of which one is the next to use an object
/// after the other, unless both only read it; or the last step of a thread whose end one of them waits for.
fn handed_over(steps: &Outline<'_>, known: &Known) -> Vec<bool> {
    let mut last: Vec<Option<usize>> = vec![None; known.objects];
    let mut last_of: Vec<Option<usize>> = vec![None; known.threads];
    let mut handed_over = vec![false; steps.len()];
    for (number, &index) in steps.order().iter().enumerate() {
        let step = known.of_index(index);
        last_of[step.thread] = Some(number);
        let Some(object) = step.object else { continue };
        if let Some(ended) = step.joined.and_then(|joined| last_of[joined]) {
            handed_over[ended] = true;
        }
        if let Some(before) = last[object].replace(number) {
            let other = known.at(steps, before);
            let is_concerned = other.is_concerned || step.is_concerned;
            let differ = other.thread != step.thread;
            if differ && is_concerned && !(other.only_reads && step.only_reads) {
                handed_over[before] = true;
                handed_over[number] = true;
            }
        }
    }
    handed_over
}

fn only_reads(step: &Step) -> bool {
    matches!(
        step.operation.as_str(),
        "atomic-load" | "libc-read" | "sem-getvalue"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, Place};

    fn step(thread: u32, operation: &str, object: &str) -> Step {
        Step {
            thread,
            operation: operation.to_owned(),
            object: object.to_owned(),
            value: None,
            value_text: String::new(),
            place: Place::default(),
            ..Step::default()
        }
    }

    fn finding(trace: Vec<Step>, threads: &[u32]) -> Finding {
        let access = |thread: &u32| Access {
            thread: *thread,
            access: "write".to_owned(),
            place: Place::default(),
            locks: Vec::new(),
            instruction: 0,
            ..Access::default()
        };
        Finding {
            kind: FindingKind::DataRace,
            message: String::new(),
            object: None,
            accesses: threads.iter().map(access).collect(),
            trace,
            executions: 1,
            preemptions: 0,
            minimal: false,
            preemptions_at_least: None,
            critical_step: None,
            loop_begins: None,
            loop_decisions: None,
            mark: None,
            replay: String::new(),
            schedule: String::new(),
            details: Vec::new(),
            warning: false,
            threads: Vec::new(),
            preemptions_at: Vec::new(),
            scenario: None,
        }
    }

    /// Numbers of the steps that matter, from 0.
    fn numbers(finding: &Finding) -> Vec<usize> {
        let all = mattering(finding).into_iter().enumerate();
        all.filter_map(|(number, matters)| matters.then_some(number))
            .collect()
    }

    #[test]
    fn a_short_trace_is_whole() {
        let own = |count: usize| finding(vec![step(1, "lock", "own"); count], &[1]);
        assert_eq!(numbers(&own(40)).len(), 40);
        // It comes to run once, and then uses its own mutex only; but that is what it did last.
        let mut long = own(41);
        assert_eq!(numbers(&long).len(), 41);
        long.trace.push(step(1, "yield", ""));
        assert_eq!(numbers(&long), [0, 41]);
    }

    #[test]
    fn steps_by_hand() {
        // 0, 1: creations. 2 to 17: T1 with its own mutex, 18: with the shared one. 19 to 34: T2,
        // which the finding is not about, 35: with the shared mutex. 36: T3 takes it. 37 to 52: T3
        // with its own. 53: it ends.
        let mut trace = vec![
            step(0, "thread-create", "T1"),
            step(0, "thread-create", "T2"),
        ];
        trace.extend(vec![step(1, "lock", "own1"); 16]);
        trace.push(step(1, "unlock", "shared"));
        trace.extend(vec![step(2, "lock", "own2"); 16]);
        trace.push(step(2, "lock", "shared"));
        trace.push(step(3, "lock", "shared"));
        trace.extend(vec![step(3, "lock", "own3"); 16]);
        trace.push(step(3, "exit", ""));
        // T1 comes to run at 2, hands over at 18, which is its last: so the mutex is one of the
        // finding's, and 35 and 36 use it. T3 comes to run at 36; 53 is the last of all.
        let both = finding(trace.clone(), &[1, 3]);
        assert_eq!(numbers(&both), [0, 1, 2, 18, 35, 36, 53]);
        // About T3 alone: T2 hands the mutex over to it; what T1 does with it is left out.
        assert_eq!(numbers(&finding(trace.clone(), &[3])), [0, 1, 35, 36, 53]);
        // Without accesses: about the thread that ran last.
        assert_eq!(numbers(&finding(trace.clone(), &[])), [0, 1, 35, 36, 53]);
        // How a whole execution went is about all threads. The last of T0 is 1, of T1 18, of T2 35, of T3 53, so
        // of the mutexes the shared one matters; T2 comes to run at 19.
        let mut ending = finding(trace.clone(), &[]);
        ending.kind = FindingKind::OutcomeDifference;
        assert_eq!(numbers(&ending), [0, 1, 2, 18, 19, 35, 36, 53]);
        // Loads of two threads hand nothing over; the object of the finding is always shown.
        for number in [18, 35, 36] {
            trace[number] = step(trace[number].thread, "atomic-load", "flag");
        }
        trace.insert(19, step(1, "yield", ""));
        assert_eq!(
            numbers(&finding(trace.clone(), &[1, 3])),
            [0, 1, 2, 19, 37, 54]
        );
        let mut about = finding(trace, &[1, 3]);
        about.object = Some(crate::Object {
            name: "flag".to_owned(),
            ..crate::Object::default()
        });
        assert_eq!(numbers(&about), [0, 1, 2, 18, 19, 36, 37, 54]);
    }

    #[test]
    fn who_joins_a_thread_shows_its_last_step() {
        // T1 and T2 use mutexes of their own; T0 waits for the end of T1 alone, and fails.
        let mut trace = vec![
            step(0, "thread-create", "T1"),
            step(0, "thread-create", "T2"),
        ];
        trace.extend(vec![step(1, "lock", "own1"); 20]);
        trace.extend(vec![step(2, "lock", "own2"); 20]);
        trace.push(step(0, "thread-join", "T1"));
        trace.push(step(0, "exit", ""));
        assert_eq!(numbers(&finding(trace, &[0])), [0, 1, 21, 42, 43]);
    }
}
