//! The last step of the process ([`Kind::ProcessEnd`]): it changes no count, and who waits then is in no deadlock.

use crate::interpreter::{Interpreter, Op, Threads};
use crate::random::{program, Flavour, Random};
use dpor_explorer::*;
use dpor_model::*;

/// How executions end, each with whether the first thread is among those that wait.
fn ends(threads: &Threads) -> Vec<(End, bool)> {
    let mut program = Interpreter::new(threads);
    let mut explorer = Explorer::new(Config::default());
    let mut all = Vec::new();
    while let Some(execution) = explorer.next(&mut program).expect("deterministic") {
        let waits = match &execution.end {
            End::Deadlock(deadlock) => deadlock.waiting.iter().any(|w| w.thread == ThreadId(0)),
            _ => false,
        };
        all.push((execution.end, waits));
    }
    all
}

fn counts(ends: &[(End, bool)]) -> [usize; 3] {
    let count = |is: &dyn Fn(&(End, bool)) -> bool| ends.iter().filter(|end| is(end)).count();
    [
        count(&|(end, _)| *end == End::Complete),
        count(&|(end, _)| matches!(end, End::Deadlock(_))),
        count(&|(end, _)| *end == End::Exited),
    ]
}

/// With it a program has as many executions as without. Those that ended in a deadlock of others, none of them in a
/// cycle, end with the process.
#[test]
fn changes_no_count() {
    let mut random = Random(63);
    let (mut exited, mut cycles) = (0, 0);
    for flavour in [
        Flavour::Memory,
        Flavour::Mutex,
        Flavour::Condvar,
        Flavour::Semaphore,
        Flavour::Threads,
    ] {
        for _ in 0..400 {
            let without = program(&mut random, flavour);
            let skips_end = without[0].iter().enumerate().any(|(at, op)| match op {
                Op::SkipUnless(_, _, n) => at + 1 + n > without[0].len(),
                _ => false,
            });
            // The first thread would skip the last step, nothing comes after an exit, and nobody joins who ends the
            // process.
            let is_other = |op: &Op| matches!(op, Op::Exit | Op::Join(0) | Op::TimedJoin(0, _));
            if skips_end || without.iter().flatten().any(is_other) {
                continue;
            }
            let before = ends(&without);
            let mut with = without.clone();
            with[0].push(Op::ProcessEnd);
            let after = ends(&with);
            let ends_with_process = |(end, first_waits): &&(End, bool)| match end {
                End::Deadlock(deadlock) => !first_waits && !deadlock.is_cycle(),
                _ => false,
            };
            let left = before.iter().filter(ends_with_process).count();
            let [complete, deadlocks, _] = counts(&before);
            assert_eq!(before.len(), after.len(), "{without:?}");
            assert_eq!(
                counts(&after),
                [complete, deadlocks - left, left],
                "{without:?}"
            );
            exited += left;
            cycles += deadlocks - left;
        }
    }
    assert!(exited > 50 && cycles > 50, "{exited} {cycles}");
}

/// Two threads wait for each other's locks while the first one ends the process.
#[test]
fn a_cycle_of_locks_is_a_deadlock() {
    let both = |a, b| vec![Op::Lock(a), Op::Lock(b), Op::Unlock(b), Op::Unlock(a)];
    let threads = vec![vec![Op::ProcessEnd], both(0, 1), both(1, 0)];
    assert_eq!(counts(&ends(&threads)), [2, 1, 0]);
    let waits = vec![
        vec![Op::ProcessEnd],
        vec![Op::SemInit(0, 0), Op::SemWait(0)],
    ];
    assert_eq!(counts(&ends(&waits)), [0, 0, 1]);
}
