//! Which steps of a long trace a report keeps, and the numbers that they had.
//!
//! The schedule says in a few bytes an event how an execution goes. A step of the trace takes some hundreds, and nobody
//! reads a hundred thousand of them. So a report has at most [`STEPS_MAX`] of a finding's, unless all are asked for: both
//! ends, the switches between threads, what the finding is about, and what the text of the finding shows. A step behind
//! others that were left out says how many they were ([`Step::left_out`](crate::Step::left_out)).

use crate::outline::Outline;
use crate::{text, Finding, FindingKind, Step};
use std::collections::BTreeSet;

/// Steps of a trace that a report keeps (chosen: four screens, and a hundred kilobytes).
pub const STEPS_MAX: usize = 200;

/// Steps that are kept at each end in any case (chosen: a screen of both).
const END: usize = 20;

impl Finding {
    /// The numbers of the steps of the trace in the execution, from 0.
    pub fn numbers(&self) -> Vec<u64> {
        let mut next = 0;
        let number = |left_out: u64| {
            next += left_out + 1;
            next - 1
        };
        let left_out = self.trace.iter().map(|step| step.left_out);
        left_out.map(number).collect()
    }

    /// The number of all steps, those that were left out included.
    pub fn steps(&self) -> u64 {
        let steps = self.trace.iter();
        steps.map(|step| step.left_out + 1).sum()
    }

    /// Whether the trace has all steps.
    pub fn is_whole(&self) -> bool {
        self.trace.iter().all(|step| step.left_out == 0)
    }

    /// Takes over which steps of another trace of the same execution matter.
    pub fn take_marks_of(&mut self, other: &Finding) {
        let (own, others) = (self.numbers(), other.numbers());
        let here = |index: Option<u64>| {
            let number = others.get(usize::try_from(index?).ok()?)?;
            own.binary_search(number).ok().map(|at| at as u64)
        };
        self.critical_step = here(other.critical_step);
        self.loop_begins = here(other.loop_begins);
        self.loop_decisions = other.loop_decisions;
    }

    /// Leaves out what a report does not keep. `needed`: steps that the text shows besides those that [`text::shown`]
    /// tells; none if it is empty.
    pub fn shorten(&mut self, needed: &[bool]) {
        // This one is how a whole execution went, and is compared with others.
        if self.trace.len() <= STEPS_MAX || self.kind == FindingKind::OutcomeDifference {
            return;
        }
        let kept: Vec<usize> = { kept(self, &Outline::of(&self.trace), needed) }
            .into_iter()
            .collect();
        self.renumber(&kept);
        self.keep(&kept);
    }

    /// Takes over the steps of its execution, without those that a report does not keep: as [`Finding::shorten`] of all
    /// of them.
    pub fn take_shortened(&mut self, steps: &Outline<'_>) {
        if steps.len() <= STEPS_MAX || self.kind == FindingKind::OutcomeDifference {
            self.trace = steps.steps();
            return;
        }
        let kept: Vec<usize> = kept(self, steps, &[]).into_iter().collect();
        self.renumber(&kept);
        let mut next = 0;
        let step = |&number: &usize| {
            let left_out = (number - next) as u64;
            next = number + 1;
            Step {
                left_out,
                ..steps.step(number).clone()
            }
        };
        self.trace = kept.iter().map(step).collect();
    }

    /// What has indices of steps has them among those with these indices.
    fn renumber(&mut self, kept: &[usize]) {
        let index = |old: u64| kept.binary_search(&(old as usize)).ok().map(|at| at as u64);
        // Before the step that comes next.
        let before = |old: u64| kept.partition_point(|&step| (step as u64) < old) as u64;
        let freed = self.object.iter_mut();
        let freed = freed.filter_map(|object| object.freed.as_deref_mut());
        for access in self.accesses.iter_mut().chain(freed) {
            access.step = access.step.map(before);
            access.held_since = access.held_since.and_then(index);
        }
        self.critical_step = self.critical_step.and_then(index);
        self.loop_begins = self.loop_begins.and_then(index);
        let preemptions = std::mem::take(&mut self.preemptions_at);
        self.preemptions_at = preemptions.into_iter().filter_map(index).collect();
        if let Some(mark) = &mut self.mark {
            let decisions = std::mem::take(&mut mark.decisions);
            mark.decisions = decisions.into_iter().filter_map(index).collect();
        }
    }

    /// Keeps the steps with these indices alone, the last one among them.
    fn keep(&mut self, kept: &[usize]) {
        let mut next = 0;
        let mut left_out = 0;
        let mut number = 0;
        self.trace.retain_mut(|step| {
            let is_kept = kept.get(next) == Some(&number);
            number += 1;
            left_out += step.left_out;
            if is_kept {
                step.left_out = left_out;
                (next, left_out) = (next + 1, 0);
            } else {
                left_out += 1;
            }
            is_kept
        });
    }
}

/// The indices of the steps that a report keeps, of a trace that has more.
fn kept(finding: &Finding, steps: &Outline<'_>, needed: &[bool]) -> BTreeSet<usize> {
    let last = steps.len() - 1;
    let freed = finding.object.iter();
    let freed = freed.filter_map(|object| object.freed.as_deref());
    let accesses = finding.accesses.iter().chain(freed);
    // What an access comes between, and since when what it waits for is held.
    let around = |step: u64| [step.checked_sub(1), Some(step)];
    let about = accesses.flat_map(|access| {
        let between = access.step.map(around).into_iter().flatten().flatten();
        between.chain(access.held_since)
    });
    let critical = finding.critical_step.map(around);
    let marked = about
        .chain(critical.into_iter().flatten().flatten())
        .chain(finding.loop_begins)
        .map(|step| step as usize);
    let ends = (0..END).flat_map(|k| [last - k, k]);
    let is_switch = |&k: &usize| steps.step(k).thread != steps.step(k - 1).thread;
    let switches = (1..steps.len()).rev().filter(is_switch);
    let shown = text::shown_of(finding, steps, needed);
    let in_text = (0..steps.len()).rev().filter(|&k| shown[k]);
    let all = [last]
        .into_iter()
        .chain(marked.filter(|&k| k < steps.len()))
        .chain(ends)
        .chain(switches.flat_map(|k| [k, k - 1]))
        .chain(in_text)
        .chain((0..steps.len()).flat_map(|k| [last - k, k]));
    let mut kept = BTreeSet::new();
    for step in all {
        if kept.len() == STEPS_MAX {
            break;
        }
        kept.insert(step);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, Step};

    /// A race of threads 1 and 2, which take turns of so many steps each, and whose second access is behind all.
    fn race(turns: u64, each: u64, step: u64) -> Finding {
        let steps = (0..turns * each).map(|k| Step {
            thread: 1 + (k / each % 2) as u32,
            operation: "lock".to_owned(),
            object: format!("m{}", k / each % 2),
            ..Step::default()
        });
        let access = |thread, step| Access {
            thread,
            access: "write".to_owned(),
            step: Some(step),
            ..Access::default()
        };
        let mut finding: Finding = serde_json::from_str(
            r#"{"kind": "data-race", "message": "", "object": null, "accesses": [], "trace": [], "executions": 1,
                "preemptions": 0, "replay": ""}"#,
        )
        .expect("a finding");
        finding.trace = steps.collect();
        finding.accesses = vec![access(1, step), access(2, turns * each)];
        finding
    }

    #[test]
    fn what_fits_stays() {
        let mut finding = race(2, 100, 50);
        let whole = finding.clone();
        finding.shorten(&[]);
        assert_eq!(finding, whole);
        assert!(finding.is_whole());
    }

    #[test]
    fn ends_switches_and_accesses_are_kept() {
        let mut finding = race(40, 250, 5_125);
        finding.critical_step = Some(2_000);
        finding.preemptions_at = vec![2_000, 3_017];
        let whole = finding.clone();
        finding.shorten(&[]);
        assert_eq!(finding.trace.len(), STEPS_MAX);
        assert_eq!(finding.steps(), 10_000);
        let numbers = finding.numbers();
        let ends = (0..20).chain(9_980..10_000);
        let switches = (1..40).flat_map(|turn| [250 * turn - 1, 250 * turn]);
        for number in ends.chain(switches).chain([5_124, 5_125]) {
            assert!(numbers.contains(&number), "{number}");
        }
        for (step, number) in finding.trace.iter().zip(&numbers) {
            let mut own = step.clone();
            own.left_out = 0;
            assert_eq!(own, whole.trace[*number as usize]);
        }
        let number = |index: u64| numbers[index as usize];
        let between = finding.accesses[0].step.expect("a place");
        assert_eq!((number(between - 1), number(between)), (5_124, 5_125));
        assert_eq!(finding.accesses[1].step, Some(STEPS_MAX as u64));
        assert_eq!(finding.critical_step.map(number), Some(2_000));
        // One that is not there is no index of another.
        assert_eq!(finding.preemptions_at.len(), 1);
        // A whole trace of the same execution has the same marks.
        let mut again = whole.clone();
        again.critical_step = None;
        again.take_marks_of(&finding);
        assert_eq!(again.critical_step, Some(2_000));
        // Twice is once.
        let once = finding.clone();
        finding.shorten(&[]);
        assert_eq!(finding, once);
    }

    #[test]
    fn steps_that_are_told_by_their_differences_are_shortened_alike() {
        for (turns, each, step) in [(2, 100, 50), (2, 30, 7), (40, 250, 5_125), (1_000, 2, 0)] {
            let mut whole = race(turns, each, step);
            whole.preemptions_at = vec![0, turns * each - 1];
            let mut distinct: Vec<Step> = Vec::new();
            let index = |step: &Step| {
                let known = distinct.iter().position(|known| known == step);
                known.unwrap_or_else(|| {
                    distinct.push(step.clone());
                    distinct.len() - 1
                }) as u32
            };
            let order = whole.trace.iter().map(index).collect();
            assert_eq!(distinct.len(), 2);
            let outline = Outline::new(distinct, order);
            let mut bare = Finding {
                trace: Vec::new(),
                ..whole.clone()
            };
            bare.take_shortened(&outline);
            whole.shorten(&[]);
            assert_eq!(bare, whole);
        }
    }

    #[test]
    fn of_more_switches_than_there_is_room_for_the_last_are_kept() {
        let mut finding = race(1_000, 2, 0);
        finding.shorten(&[]);
        let numbers = finding.numbers();
        assert_eq!(numbers.len(), STEPS_MAX);
        assert!((0..20).chain(1_850..2_000).all(|k| numbers.contains(&k)));
    }
}
