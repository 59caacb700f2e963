//! Loops that look at several cells, against the loops themselves: what is left out must make no difference to what
//! executions end with.
//!
//! The loops are run as they are, every interleaving, states that are the same merged: the graph is finite, since a
//! loop comes back to the same states. What an execution that ends leaves in memory and registers, and what is in
//! memory where threads go round for ever, must be what the search finds.

use crate::compare::config;
use crate::interpreter::{Interpreter, Machine, Op, Plain, Threads, CELLS, REGISTERS};
use crate::random;
use crate::random::{shrink, Random};
use dpor_explorer::{Config, End, Explorer, Mutation, Order};
use std::collections::{BTreeSet, HashMap};

/// Programs with more states are skipped.
const STATES_MAX: usize = 3_000;
/// Programs whose search has more executions than this are not compared.
const EXECUTIONS_MAX: usize = 20_000;

type Registers = [u64; REGISTERS];
/// Memory, and the registers of all threads; of those that wait for ever none.
type Final = ([u64; CELLS], Vec<Registers>);

/// The ends of the executions of a program: of those in which all threads end, and of those in which some go round for
/// ever.
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

/// Every state that the loops themselves reach, and from each where each thread may go.
struct Graph {
    states: Vec<Machine>,
    steps: Vec<Vec<(usize, usize)>>,
}

/// `None`: they are too many.
fn graph(threads: &Threads) -> Option<Graph> {
    let mut states = vec![Machine::new(threads)];
    let mut known = HashMap::from([(key(&states[0]), 0)]);
    let mut steps: Vec<Vec<(usize, usize)>> = vec![];
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
            next.push((t, to));
        }
        if states.len() > STATES_MAX {
            return None;
        }
        steps.push(next);
    }
    Some(Graph { states, steps })
}

impl Graph {
    /// All states that can be reached from a state.
    fn reached(&self, from: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(from) = open.pop() {
            let next = self.steps[from].iter().map(|step| step.1);
            open.extend(next.filter(|&to| reached.insert(to)));
        }
        reached
    }

    /// Whether an execution may go on for ever in which every thread that has not finished goes on again and again; and
    /// whether in one such execution memory changes again and again.
    fn fair_cycles(&self, threads: &Threads) -> (bool, bool) {
        let all: Vec<BTreeSet<usize>> = (0..self.states.len()).map(|at| self.reached(at)).collect();
        let (mut fair, mut changing) = (false, false);
        for at in 0..self.states.len() {
            // States that lead to each other.
            let component: Vec<usize> = all[at]
                .iter()
                .copied()
                .filter(|&to| all[to].contains(&at))
                .collect();
            let inside = component.iter().flat_map(|&from| {
                let steps = self.steps[from]
                    .iter()
                    .filter(|step| component.contains(&step.1));
                steps.map(move |&(t, to)| (from, t, to))
            });
            let inside: Vec<(usize, usize, usize)> = inside.collect();
            let running = (0..threads.len()).filter(|&t| !self.states[at].is_finished(threads, t));
            let mut running = running.peekable();
            let runs = running.peek().is_some();
            if runs && running.all(|t| inside.iter().any(|step| step.1 == t)) {
                fair = true;
                let memory = |state: usize| self.states[state].memory;
                changing |= inside
                    .iter()
                    .any(|&(from, _, to)| memory(from) != memory(to));
            }
        }
        (fair, changing)
    }
}

/// The ends of all executions of the loops as they are, by brute force.
fn all_ends(threads: &Threads) -> Option<Ends> {
    let graph = graph(threads)?;
    let (states, steps) = (&graph.states, &graph.steps);
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
        let reached = graph.reached(at);
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
            Some(End::Blocked) => true,
            Some(End::EventBound | End::Livelock(_)) => return None,
            Some(other) => panic!("{other:?}"),
        };
    }
    None
}

/// The ends without the contents of memory.
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

/// The ends that the search finds with another configuration. `None`: the program is too big to compare.
fn compare(threads: &Threads, seed: u64) -> Option<Result<Ends, String>> {
    let expected = all_ends(threads)?;
    for order in [Order::Leftmost, Order::Random(seed)] {
        for observers in [false, true] {
            let mut config = config(order, Mutation::None, true);
            config.reductions.observers = observers;
            config.max_events = Some(400);
            config.turns_again = seed % 2 == 1;
            config.reductions.turns = seed % 4 < 2;
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

/// A loop whose turn may take back what it did: a lock of two threads in its short form, or something near it.
fn undoing(r: &mut Random) -> Vec<Op> {
    let (mine, other) = (r.below(3), r.below(3));
    let mut ops = vec![Op::Head, Op::Store(mine, 1), Op::Load(other, 2)];
    let goes_on = r.pick(&[1, 1, 0]);
    let exit = ops.len();
    ops.push(Op::SkipUnless(2, goes_on, 0));
    for _ in 0..r.below(2) {
        ops.push(match r.below(3) {
            0 => Op::Load(r.below(3), 3),
            1 => Op::Store(r.below(3), r.pick(&[0, 1])),
            _ => Op::FetchAdd(mine, r.pick(&[0, 1]), 2),
        });
    }
    ops.push(Op::Store(mine, 0));
    let length = ops.len();
    ops[exit] = Op::SkipUnless(2, goes_on, length - exit);
    ops.push(Op::Again(length));
    ops
}

/// Threads of such loops, of those that look, and of stores.
fn undoing_program(r: &mut Random) -> Threads {
    let threads = r.pick(&[2, 2, 2, 3]);
    let piece = |r: &mut Random| match r.below(10) {
        0..6 => undoing(r),
        6..8 => random::look_again(r, 1),
        _ => vec![Op::Store(r.below(3), r.pick(&[0, 1]))],
    };
    let thread = |r: &mut Random| -> Vec<Op> {
        let pieces = 1 + r.below(2);
        (0..pieces).flat_map(|_| piece(r)).collect()
    };
    let mut all: Threads = (0..threads).map(|_| thread(r)).collect();
    for op in all.iter_mut().flatten() {
        if let Op::Await(x, .., register) = *op {
            *op = Op::Load(x, register);
        }
    }
    all
}

/// Whether some execution ends in a cycle, of the first few.
fn finds_cycle(threads: &Threads, config: Config) -> bool {
    const FEW: usize = 2_000;
    let mut program = Interpreter::new(threads);
    let mut explorer = Explorer::new(config);
    for _ in 0..FEW {
        let execution = explorer.next(&mut program).expect("no fault");
        match execution.map(|execution| execution.end) {
            None => return false,
            Some(End::Livelock(_)) => return true,
            Some(_) => {}
        }
    }
    false
}

#[test]
fn threads_are_said_to_take_back_what_they_did_only_if_they_may_for_ever() {
    let setting = |name: &str| std::env::var(name).ok()?.parse().ok();
    let programs: u64 = setting("DPOR_ORACLE_PROGRAMS").unwrap_or(1_000);
    let seed: u64 = setting("DPOR_ORACLE_SEED").unwrap_or(0);
    let (mut fair, mut found, mut without) = (0, 0, 0);
    for at in seed..seed + programs {
        let threads = undoing_program(&mut Random(at));
        let Some(graph) = graph(&threads) else {
            continue;
        };
        let (is_fair, changes) = graph.fair_cycles(&threads);
        for observers in [false, true] {
            let mut config = config(Order::Random(at), Mutation::None, true);
            config.reductions.observers = observers;
            config.reductions.turns = at % 2 == 0;
            config.max_events = Some(60);
            let finds = finds_cycle(&threads, config);
            assert!(
                is_fair || !finds,
                "seed {at}, observers {observers}: {threads:?}"
            );
            fair += u64::from(changes);
            found += u64::from(changes && finds);
        }
        without += u64::from(!is_fair);
    }
    println!("{found} of {fair} programs with cycles found, {without} without");
    assert!(without > programs / 10 && found > programs / 10);
}

/// What executions leave that end, and whether some were cut, in a search that ends executions with the second of two
/// cycles if `twice`, or with the first. `None`: it is too long.
fn ends_beside_cycles(
    threads: &Threads,
    config: Config,
    twice: bool,
) -> Option<(BTreeSet<Final>, bool)> {
    const FEW: usize = 1_000;
    let mut ends = BTreeSet::new();
    let mut program = Interpreter::new(threads);
    program.progresses = twice;
    let mut explorer = Explorer::new(config);
    let (mut restarts, mut cycles) = (0, false);
    for _ in 0..FEW {
        let execution = explorer.next(&mut program).expect("no fault");
        if explorer.counters().restarts > restarts {
            restarts = explorer.counters().restarts;
            ends.clear();
        }
        match execution.map(|execution| execution.end) {
            None => return Some((ends, cycles)),
            Some(End::Complete) => {
                ends.insert(final_of(threads, &program.machine));
            }
            Some(End::Livelock(_)) => cycles = true,
            Some(End::EventBound) => return None,
            Some(_) => {}
        }
    }
    None
}

#[test]
fn executions_that_run_for_ever_hide_no_end_of_others() {
    let setting = |name: &str| std::env::var(name).ok()?.parse().ok();
    let programs: u64 = setting("DPOR_ORACLE_PROGRAMS").unwrap_or(400);
    let seed: u64 = setting("DPOR_ORACLE_SEED").unwrap_or(0);
    let (mut compared, mut with_cycles, mut lost) = (0, 0, 0);
    for at in seed..seed + programs {
        let threads = undoing_program(&mut Random(at));
        let Some(expected) = all_ends(&threads) else {
            continue;
        };
        for observers in [false, true] {
            let mut config = config(Order::Random(at), Mutation::None, true);
            config.reductions.observers = observers;
            config.reductions.turns = at % 2 == 0;
            config.max_events = Some(100);
            let told = |ends: &BTreeSet<Final>| match observers {
                false => ends.clone(),
                true => registers_of(ends),
            };
            if let Some((found, cycles)) = ends_beside_cycles(&threads, config.clone(), true) {
                let what = format!("seed {at}, observers {observers}: {threads:?}");
                assert_eq!(told(&found), told(&expected.complete), "{what}");
                compared += 1;
                with_cycles += u64::from(cycles);
            }
            if let Some((found, _)) = ends_beside_cycles(&threads, config, false) {
                lost += u64::from(told(&found) != told(&expected.complete));
            }
        }
    }
    println!("{compared} compared, {with_cycles} of them with cycles; {lost} lose ends if cut at the first");
    assert!(with_cycles > programs / 10);
}
