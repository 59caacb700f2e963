//! Why an atomic read does not order the two accesses of a race.
//!
//! ```text
//!   T1  writes data          ┐
//!   T1  writes ready: 1      │ 6   released?
//!   T2  reads ready: 1       │ 7   acquired?
//!   T2  reads data           ┘
//! ```
//!
//! The two race, so the read did not synchronize with the write, whatever fences there are. If one of them could not by its
//! memory order, that is said.

use super::dot::event_of;
use super::moments::position;
use dpor_report::{Finding, FindingKind, MemoryOrder, Step};

/// Index of the read in the trace, and what is wrong with it.
pub fn why(finding: &Finding) -> Option<(usize, String)> {
    let [one, other] = &finding.accesses[..] else {
        return None;
    };
    if finding.kind != FindingKind::DataRace {
        return None;
    }
    let at = |access| position(access, finding).or_else(|| event_of(access, finding));
    let (first, second) = match (at(one)?, at(other)?) {
        (a, b) if a <= b => ((one.thread, a), (other.thread, b)),
        (a, b) => ((other.thread, b), (one.thread, a)),
    };
    let trace = &finding.trace;
    let between_them = (first.1..second.1.min(trace.len())).rev();
    let numbers = finding.numbers();
    let mut own_reads = between_them.filter(|&k| trace[k].thread == second.0 && reads(&trace[k]));
    own_reads.find_map(|read| {
        let write = last_write(trace, read)?;
        let is_behind = trace[write].thread == first.0 && write >= first.1;
        let why = is_behind.then(|| between(&trace[write], &trace[read]))?;
        let write = numbers[write] + 1;
        Some((read, format!("reads from {write}, {}", why?)))
    })
}

/// What is missing between a write and a read of its value, where that is known.
fn between(write: &Step, read: &Step) -> Option<&'static str> {
    let acquires = read.order?.acquires();
    match (write.order.map(MemoryOrder::releases), acquires) {
        (Some(false), false) => Some("which does not release, and does not acquire it"),
        (Some(false), true) => Some("which does not release"),
        (_, false) => Some("does not acquire it"),
        (_, true) => None,
    }
}

fn reads(step: &Step) -> bool {
    matches!(
        step.operation.as_str(),
        "atomic-load" | "atomic-rmw" | "compare-exchange"
    )
}

/// The write whose value a step reads, if it is known which that is.
fn last_write(trace: &[Step], read: usize) -> Option<usize> {
    let place = |step: &Step| (step.object.clone(), step.address);
    let same = place(&trace[read]);
    let may_write = |step: &Step| step.operation != "atomic-load" && place(step) == same;
    let last = trace[..read].iter().rposition(may_write)?;
    let is_known = trace[last + 1..=read].iter().all(|step| step.left_out == 0);
    if !is_known {
        return None;
    }
    match trace[last].operation.as_str() {
        "atomic-store" | "atomic-rmw" => Some(last),
        // One that fails leaves the value as it was.
        "compare-exchange" => {
            let before = trace[..last].iter().rposition(|step| place(step) == same)?;
            let is_known = trace[before + 1..=last]
                .iter()
                .all(|step| step.left_out == 0);
            let before = trace[before].value.filter(|_| is_known);
            (before.is_some() && before != trace[last].value).then_some(last)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dpor_report::Access;

    fn step(thread: u32, operation: &str, value: u64, order: MemoryOrder) -> Step {
        Step {
            thread,
            operation: operation.to_owned(),
            object: "ready".to_owned(),
            value: Some(value),
            order: Some(order),
            ..Step::default()
        }
    }

    /// T1 writes data before the first step and then `ready`; T2 reads `ready` and, behind the last step, data.
    fn of(steps: Vec<Step>) -> Option<(usize, String)> {
        let access = |thread, step| Access {
            thread,
            step: Some(step),
            ..Access::default()
        };
        let accesses = vec![access(1, 0), access(2, steps.len() as u64)];
        let status = std::os::unix::process::ExitStatusExt::from_raw(6);
        why(&Finding {
            kind: FindingKind::DataRace,
            accesses,
            trace: steps,
            ..crate::report::plain::finding(status).expect("a finding")
        })
    }

    #[test]
    fn what_is_missing_is_said() {
        use MemoryOrder::{Acquire, Relaxed, Release};
        let check = |write, read, expect: Option<&str>| {
            let steps = vec![
                step(1, "atomic-store", 1, write),
                step(2, "atomic-load", 1, read),
            ];
            let expect = expect.map(|why| (1, format!("reads from 1, {why}")));
            assert_eq!(of(steps), expect);
        };
        check(Release, Relaxed, Some("does not acquire it"));
        check(Relaxed, Acquire, Some("which does not release"));
        check(
            Relaxed,
            Relaxed,
            Some("which does not release, and does not acquire it"),
        );
        // Whatever it was, it was not these two.
        check(Release, Acquire, None);
    }

    #[test]
    fn only_the_write_that_is_read_counts() {
        use MemoryOrder::{Relaxed, Release};
        let store = |thread, value| step(thread, "atomic-store", value, Release);
        let load = step(2, "atomic-load", 3, Relaxed);
        // It reads what another thread wrote.
        assert_eq!(of(vec![store(1, 1), store(3, 3), load.clone()]), None);
        // An exchange that changed the value is a write; of one that did not nobody knows.
        let exchange = |value| step(1, "compare-exchange", value, Release);
        let why = Some((2, "reads from 2, does not acquire it".to_owned()));
        assert_eq!(of(vec![store(1, 1), exchange(3), load.clone()]), why);
        assert_eq!(of(vec![store(1, 3), exchange(3), load]), None);
    }
}
