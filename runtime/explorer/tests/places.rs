//! Loops that look at several cells, against the loops themselves: what is left out must make no difference to what
//! executions end with.
//!
//! The loops are run as they are, every interleaving, states that are the same merged: the graph is finite, since a loop
//! comes back to the same states. What an execution that ends leaves in memory and registers, and what is in memory
//! where threads go round for ever, must be what the search finds.

mod brute;
mod compare;
mod interpreter;
mod random;

use compare::config;
use dpor_explorer::{Config, End, Explorer, Mutation, Order};
use interpreter::{Interpreter, Machine, Op, Plain, Threads, CELLS, REGISTERS};
use random::{shrink, Random};
use std::collections::{BTreeSet, HashMap};

/// Programs with more states are skipped.
const STATES_MAX: usize = 3_000;
/// And searches with more executions.
const EXECUTIONS_MAX: usize = 20_000;

type Registers = [u64; REGISTERS];
/// Memory, and the registers of all threads; of those that wait for ever none.
type Final = ([u64; CELLS], Vec<Registers>);

/// What executions end with: those in which all threads end, and those in which some go round for ever.
#[derive(Default, PartialEq, Eq, Debug)]
struct Ends {
    complete: BTreeSet<Final>,
    endless: BTreeSet<Final>,
}

fn final_of(threads: &Threads, machine: &Machine) -> Final {
    let registers = (0..threads.len()).map(|t| match machine.is_finished(threads, t) {
        true => machine.registers[t],
        false => [0; REGISTERS],
    });
    (machine.memory, registers.collect())
}

/// A state without what is only told to the search.
type Key = ([u64; CELLS], Vec<usize>, Vec<Registers>);

fn key(machine: &Machine) -> Key {
    let (pc, registers) = (machine.pc.clone(), machine.registers.clone());
    (machine.memory, pc, registers)
}

/// Every state that the loops themselves reach.
fn all_ends(threads: &Threads) -> Option<Ends> {
    let mut states = vec![Machine::new(threads)];
    let mut known = HashMap::from([(key(&states[0]), 0)]);
    let mut steps: Vec<Vec<usize>> = vec![];
    while steps.len() < states.len() {
        let at = steps.len();
        let mut next = vec![];
        for t in 0..threads.len() {
            if states[at].is_finished(threads, t) {
                continue;
            }
            let mut machine = states[at].clone();
            machine.perform(threads, t, 0, 0, &mut Plain::default());
            let to = *known.entry(key(&machine)).or_insert(states.len());
            if to == states.len() {
                states.push(machine);
            }
            next.push(to);
        }
        if states.len() > STATES_MAX {
            return None;
        }
        steps.push(next);
    }
    let mut ends = Ends::default();
    for (at, machine) in states.iter().enumerate() {
        let finished = |m: &Machine| -> Vec<bool> {
            (0..threads.len())
                .map(|t| m.is_finished(threads, t))
                .collect()
        };
        let end = final_of(threads, machine);
        if steps[at].is_empty() {
            ends.complete.insert(end);
            continue;
        }
        // Endless: whatever happens, nothing happens.
        let mut reached = BTreeSet::from([at]);
        let mut open = vec![at];
        while let Some(from) = open.pop() {
            open.extend(steps[from].iter().filter(|&&to| reached.insert(to)));
        }
        let (memory, done) = (machine.memory, finished(machine));
        if { reached.iter() }.all(|&n| states[n].memory == memory && finished(&states[n]) == done) {
            ends.endless.insert(end);
        }
    }
    Some(ends)
}

fn found_ends(threads: &Threads, config: Config) -> Option<Ends> {
    let mut ends = Ends::default();
    let mut program = Interpreter::new(threads);
    let mut explorer = Explorer::new(config);
    let mut restarts = 0;
    for _ in 0..EXECUTIONS_MAX {
        let execution = explorer.next(&mut program).expect("no fault");
        if explorer.counters().restarts > restarts {
            restarts = explorer.counters().restarts;
            ends = Ends::default();
        }
        let end = final_of(threads, &program.machine);
        match execution.map(|execution| execution.end) {
            None => return Some(ends),
            Some(End::Complete) => ends.complete.insert(end),
            Some(End::Deadlock(_)) => ends.endless.insert(end),
            Some(End::EventBound) => return None,
            Some(other) => panic!("{other:?}"),
        };
    }
    None
}

/// The same without memory.
fn registers_of(ends: &BTreeSet<Final>) -> BTreeSet<Final> {
    let all = ends.iter();
    all.map(|(_, registers)| ([0; CELLS], registers.clone()))
        .collect()
}

/// Threads of loops and stores.
fn program(r: &mut Random) -> Threads {
    let threads = r.pick(&[2, 2, 3]);
    let piece = |r: &mut Random| match r.below(10) {
        0..4 => random::look_again(r, 0),
        4..9 => vec![Op::Store(r.below(3), r.pick(&[0, 1, 2]))],
        _ => vec![Op::FetchAdd(r.below(3), 1, 0)],
    };
    let thread = |r: &mut Random| -> Vec<Op> {
        let pieces = 1 + r.below(3);
        (0..pieces).flat_map(|_| piece(r)).collect()
    };
    let mut all: Threads = (0..threads).map(|_| thread(r)).collect();
    // Waits for one cell are not what this is about.
    for op in all.iter_mut().flatten() {
        if let Op::Await(x, .., register) = *op {
            *op = Op::Load(x, register);
        }
    }
    all
}

/// What the search finds otherwise. `None`: too big to compare.
fn compare(threads: &Threads, seed: u64) -> Option<Result<Ends, String>> {
    let expected = all_ends(threads)?;
    for order in [Order::Leftmost, Order::Random(seed)] {
        for observers in [false, true] {
            let mut config = config(order, Mutation::None, true);
            config.reductions.observers = observers;
            config.max_events = Some(400);
            let found = found_ends(threads, config)?;
            // Stores that nobody reads are not told apart.
            let told = |ends: &Ends| match observers {
                false => (ends.complete.clone(), ends.endless.clone()),
                true => [&ends.complete, &ends.endless].map(registers_of).into(),
            };
            if told(&found) != told(&expected) {
                let what = format!("{observers} {order:?}\nfound {found:?}\nof {expected:?}");
                return Some(Err(what));
            }
        }
    }
    Some(Ok(expected))
}

#[test]
fn leaves_out_only_what_makes_no_difference() {
    let setting = |name: &str| std::env::var(name).ok()?.parse().ok();
    let programs: u64 = setting("DPOR_ORACLE_PROGRAMS").unwrap_or(1_500);
    let seed: u64 = setting("DPOR_ORACLE_SEED").unwrap_or(0);
    let (mut compared, mut endless) = (0, 0);
    for at in seed..seed + programs {
        let threads = program(&mut Random(at));
        match compare(&threads, at) {
            None => {}
            Some(Ok(ends)) => {
                compared += 1;
                endless += u64::from(!ends.endless.is_empty());
            }
            Some(Err(_)) => {
                let fails = |t: &Threads| compare(t, at).is_some_and(|found| found.is_err());
                let small = shrink(threads, fails);
                panic!("seed {at}, smaller: {small:?}\n{:?}", compare(&small, at));
            }
        }
    }
    println!("{compared} of {programs} compared, {endless} of them with loops that do not end");
    assert!(compared > programs / 2 && endless > programs / 20);
}
