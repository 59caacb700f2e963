//! Random programs that end while other threads run, against all interleavings.
//!
//! Main returns, or calls `exit` or `quick_exit`, and joins some threads, or none; exit handlers load and store, lock,
//! wait, signal and join what main did not; another thread may call `exit`, too. The enumerator of
//! `dpor_testsuite::enumerate` runs what handlers do as events of the thread that ends the process. Held against each other
//! are the number of executions, of those in a deadlock, and what the last handler observes.
//!
//! `DPOR_TEST_RANDOM=N` runs N programs instead of 60, `DPOR_TEST_SEED=N` begins at another seed.
//! `cargo xtask oracle --kind exit` runs many.

mod program;

use dpor_report::{Report, Verdict};
use dpor_testsuite::enumerate::{self, Last, Op};
use dpor_testsuite::tool::Tool;
use program::{Program, EXIT, OBSERVED};
use std::collections::BTreeSet;

/// Programs in a normal run.
const PROGRAMS: u64 = 60;
/// Programs that are compiled at once.
const BATCH: u64 = 250;
/// Programs with more prefixes of one length are left.
const PREFIXES_MAX: usize = 2_000;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// What the oracle says of a program.
#[derive(Default, PartialEq, Eq, Debug)]
struct Expected {
    executions: u64,
    deadlocked: u64,
    /// What the last handler observes where there is no deadlock, and in all.
    observed: BTreeSet<Vec<i64>>,
    observed_at_all: BTreeSet<Vec<i64>>,
    /// In so many another thread waits when the process ends.
    left_waiting: u64,
}

/// The thread for whose mutex or end a thread waits.
fn waits_for(last: &Last, thread: usize) -> Option<usize> {
    match last.before[thread]? {
        Op::Lock(mutex) | Op::Reacquire(_, mutex) if mutex != EXIT => {
            last.owners.get(&mutex).copied()
        }
        Op::Join(other) => Some(other),
        _ => None,
    }
}

/// Whether threads wait for each other.
fn has_cycle(last: &Last) -> bool {
    let threads = last.before.len();
    let next = |t: usize| waits_for(last, t);
    (0..threads).any(|from| {
        let mut at = Some(from);
        (0..threads).any(|_| {
            at = at.and_then(next);
            at == Some(from)
        })
    })
}

impl Expected {
    fn add(&mut self, last: &Last) {
        self.executions += 1;
        // A thread waits for its wake-up as long as it stands before the second half of its wait.
        let ended = |t: usize| last.before[t].is_none();
        let ender = last.owners.get(&EXIT).copied().filter(|&t| ended(t));
        let deadlocks = ender.is_none() || has_cycle(last);
        self.deadlocked += u64::from(deadlocks);
        self.left_waiting += u64::from(!deadlocks && !(0..last.before.len()).all(ended));
        if let Some(ender) = ender {
            let value = |register| last.registers[ender].get(&register).copied();
            let observed: Vec<i64> = OBSERVED
                .map(|(_, register)| value(register).unwrap_or(0))
                .into();
            if !deadlocks {
                self.observed.insert(observed.clone());
            }
            self.observed_at_all.insert(observed);
        }
    }

    fn of(program: &Program) -> Option<Expected> {
        let mut expected = Expected::default();
        let ends = enumerate::ends(&program.threads(), PREFIXES_MAX)?;
        ends.iter().for_each(|last| expected.add(last));
        Some(expected)
    }
}

/// In words what a report has otherwise than the oracle.
fn difference(expected: &Expected, report: &Report) -> Option<String> {
    let found = report.executions;
    let observed = report.outcomes.iter().filter_map(|outcome| {
        let values = OBSERVED.map(|(name, _)| outcome.values.get(name).copied());
        values.into_iter().collect::<Option<Vec<i64>>>()
    });
    let observed: BTreeSet<Vec<i64>> = observed.collect();
    let verdict = match expected.deadlocked {
        0 => Verdict::Verified,
        _ => Verdict::Bug,
    };
    let same = report.verdict == verdict
        && (found.total(), found.deadlocked) == (expected.executions, expected.deadlocked)
        && found.complete == expected.executions - expected.deadlocked
        && observed.is_superset(&expected.observed)
        && observed.is_subset(&expected.observed_at_all);
    (!same).then(|| {
        format!(
            "{}, {:?}\n{found:?}, {observed:?}\nwhere the oracle has {expected:?}",
            report.verdict, report.reason
        )
    })
}

#[test]
fn processes_end_while_threads_run_as_they_may() {
    let first = number("DPOR_TEST_SEED", 1);
    let count = number("DPOR_TEST_RANDOM", PROGRAMS);
    let (mut done, mut wrong, mut sums) = (0, Vec::new(), Expected::default());
    let mut seeds = first..;
    while done < count {
        let tool = Tool::new("exits");
        let size = BATCH.min(count - done);
        let fits = |seed: u64| {
            let program = program::of(seed);
            let expected = Expected::of(&program)?;
            Some((seed, program, expected))
        };
        let chosen: Vec<_> = seeds
            .by_ref()
            .filter_map(fits)
            .take(size as usize)
            .collect();
        let text = program::text(chosen.iter().map(|(_, program, _)| program));
        let binary = tool.compile("exits", &text, &["-O1"]);
        for (index, (seed, program, expected)) in chosen.iter().enumerate() {
            let options = ["-k", "--outcomes", "--reductions=none", "--minimize-time=0"];
            let checked = tool.check(&binary, &options, &[&index.to_string()]);
            if let Some(what) = difference(expected, &checked.report) {
                let wrongly = format!("seed {seed}: {what}\n{program:#?}");
                println!("{wrongly}");
                wrong.push(wrongly);
            }
            sums.executions += expected.executions;
            sums.deadlocked += expected.deadlocked;
            sums.left_waiting += expected.left_waiting;
        }
        done += size;
    }
    let Expected {
        executions,
        deadlocked,
        left_waiting,
        ..
    } = sums;
    println!("{done} programs, {executions} executions, {deadlocked} of them in a deadlock, in {left_waiting} others are left waiting");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(deadlocked > done / 10 && left_waiting > done / 10);
}
