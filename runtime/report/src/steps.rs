//! Which steps of a trace matter for its finding.
//!
//! A trace that fits on a screen is shown whole. Of a longer one: what creates threads; what uses
//! the objects that the finding is about; of the threads that the finding is about, the steps where
//! they come to run and those where an object goes from one thread to another; and their last.

use crate::{Finding, FindingKind, Step};
use std::collections::{HashMap, HashSet};

/// Steps of a trace that is shown whole (chosen: a screen of 24 lines).
const WHOLE_MAX: usize = 24;

/// An object of a step: its address, or its name if it has none.
type Object<'a> = (u64, &'a str);

/// For each step of the trace, whether it is worth showing.
pub fn mattering(finding: &Finding) -> Vec<bool> {
    let steps = &finding.trace;
    if steps.len() <= WHOLE_MAX {
        return vec![true; steps.len()];
    }
    let threads = threads(finding);
    let last = last_of_threads(steps, &threads);
    let objects = objects(finding, &last);
    let handed_over = handed_over(steps);
    let matters = |(number, step): (usize, &Step)| {
        let comes_to_run = number == 0 || steps[number - 1].thread != step.thread;
        let is_concerned = threads.contains(&step.thread);
        step.operation == "thread-create"
            || number + 1 == steps.len()
            || last.contains(&number)
            || finding.critical_step == Some(number as u64)
            || (!step.object.is_empty() && objects.contains(step.object.as_str()))
            || (is_concerned && (comes_to_run || handed_over.contains(&number)))
    };
    steps.iter().enumerate().map(matters).collect()
}

/// The threads that the finding is about: of its accesses, or else the last that ran; all where it is how
/// a whole execution went.
fn threads(finding: &Finding) -> HashSet<u32> {
    if finding.kind == FindingKind::OutcomeDifference {
        return finding.trace.iter().map(|step| step.thread).collect();
    }
    let accesses = finding.accesses.iter().map(|access| access.thread);
    let threads: HashSet<u32> = accesses.collect();
    match threads.is_empty() {
        true => finding
            .trace
            .last()
            .map(|step| step.thread)
            .into_iter()
            .collect(),
        false => threads,
    }
}

fn last_of_threads(steps: &[Step], threads: &HashSet<u32>) -> HashSet<usize> {
    let last = |thread: &u32| steps.iter().rposition(|step| step.thread == *thread);
    threads.iter().filter_map(last).collect()
}

/// Names of the objects that the finding is about: its own, locks held, what its threads did last.
fn objects<'a>(finding: &'a Finding, last: &HashSet<usize>) -> HashSet<&'a str> {
    let own = finding.object.iter().map(|object| object.name.as_str());
    let locks = finding.accesses.iter().flat_map(|access| &access.locks);
    let last = last
        .iter()
        .map(|number| finding.trace[*number].object.as_str());
    own.chain(locks.map(String::as_str)).chain(last).collect()
}

/// Steps before or after which another thread uses the same object, unless both only read it.
fn handed_over(steps: &[Step]) -> HashSet<usize> {
    let mut last: HashMap<Object<'_>, usize> = HashMap::new();
    let mut handed_over = HashSet::new();
    for (number, step) in steps.iter().enumerate() {
        if step.object.is_empty() {
            continue;
        }
        let name = if step.address == 0 {
            step.object.as_str()
        } else {
            ""
        };
        if let Some(before) = last.insert((step.address, name), number) {
            let other = &steps[before];
            if other.thread != step.thread && !(only_reads(other) && only_reads(step)) {
                handed_over.extend([before, number]);
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
        assert_eq!(numbers(&own(24)).len(), 24);
        // It comes to run once, and then uses its own mutex only; but that is what it did last.
        let mut long = own(25);
        assert_eq!(numbers(&long).len(), 25);
        long.trace.push(step(1, "yield", ""));
        assert_eq!(numbers(&long), [0, 25]);
    }

    #[test]
    fn steps_by_hand() {
        // 0, 1: creations. 2 to 9: T1 with its own mutex, 10: with the shared one. 11 to 18: T2,
        // which the finding is not about, 19: with the shared mutex. 20: T3 takes it. 21 to 28: T3
        // with its own. 29: it ends.
        let mut trace = vec![
            step(0, "thread-create", "T1"),
            step(0, "thread-create", "T2"),
        ];
        trace.extend(vec![step(1, "lock", "own1"); 8]);
        trace.push(step(1, "unlock", "shared"));
        trace.extend(vec![step(2, "lock", "own2"); 8]);
        trace.push(step(2, "lock", "shared"));
        trace.push(step(3, "lock", "shared"));
        trace.extend(vec![step(3, "lock", "own3"); 8]);
        trace.push(step(3, "exit", ""));
        // T1 comes to run at 2, hands over at 10, which is its last: so the mutex is one of the
        // finding's, and 19 and 20 use it. T3 comes to run at 20; 29 is the last of all.
        let both = finding(trace.clone(), &[1, 3]);
        assert_eq!(numbers(&both), [0, 1, 2, 10, 19, 20, 29]);
        // About T3 alone: what T1 and T2 do with the mutex is left out.
        assert_eq!(numbers(&finding(trace.clone(), &[3])), [0, 1, 20, 29]);
        // Without accesses: about the thread that ran last.
        assert_eq!(numbers(&finding(trace.clone(), &[])), [0, 1, 20, 29]);
        // How a whole execution went is about all threads. The last of T0 is 1, of T1 10, of T2 19, of T3 29, so
        // of the mutexes the shared one matters; T2 comes to run at 11.
        let mut ending = finding(trace.clone(), &[]);
        ending.kind = FindingKind::OutcomeDifference;
        assert_eq!(numbers(&ending), [0, 1, 2, 10, 11, 19, 20, 29]);
        // Loads of two threads hand nothing over; the object of the finding is always shown.
        for number in [10, 19, 20] {
            trace[number] = step(trace[number].thread, "atomic-load", "flag");
        }
        trace.insert(11, step(1, "yield", ""));
        assert_eq!(
            numbers(&finding(trace.clone(), &[1, 3])),
            [0, 1, 2, 11, 21, 30]
        );
        let mut about = finding(trace, &[1, 3]);
        about.object = Some(crate::Object {
            name: "flag".to_owned(),
            ..crate::Object::default()
        });
        assert_eq!(numbers(&about), [0, 1, 2, 10, 11, 20, 21, 30]);
    }
}
