//! Which steps of a trace matter for its finding.
//!
//! A trace that fits on a screen is shown whole. Of a longer one: what creates threads; what uses
//! the objects that the finding is about; of the threads that the finding is about, the steps where
//! they come to run, their last, those of threads whose end they wait for, and those where an object
//! comes to them from another thread, or goes from them to one, with what that thread did there.

use crate::{Finding, FindingKind, Step};
use std::collections::{HashMap, HashSet};

/// Steps of a trace that is shown whole (chosen: a screen of 50 lines has them and what is wrong).
const WHOLE_MAX: usize = 40;

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
    let handed_over = handed_over(steps, &threads);
    let matters = |(number, step): (usize, &Step)| {
        let comes_to_run = number == 0 || steps[number - 1].thread != step.thread;
        let is_concerned = threads.contains(&step.thread);
        step.operation == "thread-create"
            || number + 1 == steps.len()
            || last.contains(&number)
            || finding.critical_step == Some(number as u64)
            || (!step.object.is_empty() && objects.contains(step.object.as_str()))
            || handed_over.contains(&number)
            || (is_concerned && comes_to_run)
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

/// The two steps of each two threads, one of them among `concerned`, of which one is the next to use an object after the
/// other, unless both only read it; the last steps of threads whose end one of them waits for.
fn handed_over(steps: &[Step], concerned: &HashSet<u32>) -> HashSet<usize> {
    let mut last: HashMap<Object<'_>, usize> = HashMap::new();
    let mut last_of: HashMap<u32, usize> = HashMap::new();
    let mut handed_over = HashSet::new();
    for (number, step) in steps.iter().enumerate() {
        last_of.insert(step.thread, number);
        if step.object.is_empty() {
            continue;
        }
        if step.operation == "thread-join" && concerned.contains(&step.thread) {
            let joined = step.object.trim_start_matches('T').parse();
            handed_over.extend(joined.ok().and_then(|thread: u32| last_of.get(&thread)));
        }
        let name = if step.address == 0 {
            step.object.as_str()
        } else {
            ""
        };
        if let Some(before) = last.insert((step.address, name), number) {
            let other = &steps[before];
            let is_concerned = [other, step]
                .iter()
                .any(|step| concerned.contains(&step.thread));
            let differ = other.thread != step.thread;
            if differ && is_concerned && !(only_reads(other) && only_reads(step)) {
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
