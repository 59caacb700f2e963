//! Loops that lock, try and unlock mutexes, against the loops themselves: executions that are left out, because a turn
//! in vain came back to where it began, must make no difference to what executions end with.
//!
//! As in `places`, the loops are run as they are, every interleaving, states that are the same merged. Here the oracle
//! knows who holds which mutex.

use crate::compare::config;
use crate::interpreter::{Interpreter, Machine, Op, Plain, Threads, CELLS, REGISTERS};
use crate::random::{shrink, Random};
use dpor_explorer::{Config, End, Explorer, Mutation, Order};
use std::collections::{BTreeSet, HashMap};

/// Programs with more states are skipped.
const STATES_MAX: usize = 3_000;
/// And searches with more executions.
const EXECUTIONS_MAX: usize = 20_000;
const MUTEXES: usize = 2;
/// What a mutex protects: a cell of its own.
const PROTECTED: usize = 10;
const EBUSY: i32 = 16;

type Registers = [u64; REGISTERS];
/// Memory, and the registers of all threads.
type Final = ([u64; CELLS], Vec<Registers>);

/// What executions in which all threads end leave, and whether there are some in which not all can.
#[derive(Default, PartialEq, Eq, Debug)]
struct Ends {
    complete: BTreeSet<Final>,
    endless: bool,
}

/// The machine, and who holds each mutex.
#[derive(Clone)]
struct State {
    machine: Machine,
    owners: [Option<usize>; MUTEXES],
}

type Key = (
    [u64; CELLS],
    Vec<usize>,
    Vec<Registers>,
    [Option<usize>; MUTEXES],
);

impl State {
    fn key(&self) -> Key {
        let m = &self.machine;
        (m.memory, m.pc.clone(), m.registers.clone(), self.owners)
    }

    /// What comes when thread `t` goes on; `None`: it cannot.
    fn after(&self, threads: &Threads, t: usize) -> Option<State> {
        let mut next = self.clone();
        let mut result = 0;
        match threads[t].get(self.machine.pc[t])? {
            Op::Lock(m) => {
                self.owners[*m].is_none().then_some(())?;
                next.owners[*m] = Some(t);
            }
            Op::Trylock(m, _) if self.owners[*m].is_some() => result = EBUSY,
            Op::Trylock(m, _) => next.owners[*m] = Some(t),
            Op::Unlock(m) => next.owners[*m] = None,
            _ => {}
        }
        let plain = &mut Plain::default();
        next.machine.perform(threads, t, 0, result, plain);
        Some(next)
    }
}

/// What the executions of the loops themselves end with. `None`: they have too many states.
fn all_ends(threads: &Threads) -> Option<Ends> {
    let machine = Machine::new(threads);
    let mut states = vec![State {
        machine,
        owners: [None; MUTEXES],
    }];
    let mut known = HashMap::from([(states[0].key(), 0)]);
    let mut before: Vec<Vec<usize>> = vec![vec![]];
    let (mut at, mut ends, mut ended) = (0, Ends::default(), vec![]);
    while at < states.len() {
        let here = states[at].clone();
        if (0..threads.len()).all(|t| here.machine.is_finished(threads, t)) {
            let registers = here.machine.registers.clone();
            ends.complete.insert((here.machine.memory, registers));
            ended.push(at);
        }
        for next in (0..threads.len()).filter_map(|t| here.after(threads, t)) {
            let to = *known.entry(next.key()).or_insert(states.len());
            if to == states.len() {
                states.push(next);
                before.push(vec![]);
            }
            before[to].push(at);
        }
        if states.len() > STATES_MAX {
            return None;
        }
        at += 1;
    }
    // From where all threads can come to their ends.
    let mut hopeful: BTreeSet<usize> = ended.iter().copied().collect();
    while let Some(at) = ended.pop() {
        let new = before[at].iter().filter(|&&from| hopeful.insert(from));
        ended.extend(new);
    }
    ends.endless = hopeful.len() < states.len();
    Some(ends)
}

/// What the search finds, and how many executions it left because of a turn in vain.
fn found_ends(threads: &Threads, config: Config) -> Option<(Ends, u64)> {
    let mut ends = Ends::default();
    let mut program = Interpreter::new(threads);
    let mut explorer = Explorer::new(config);
    let mut blocked = 0;
    for _ in 0..EXECUTIONS_MAX {
        let execution = explorer.next(&mut program).expect("no fault");
        match execution.map(|execution| execution.end) {
            None => return Some((ends, blocked)),
            Some(End::Complete) => {
                let machine = &program.machine;
                let registers = machine.registers.clone();
                ends.complete.insert((machine.memory, registers));
            }
            Some(End::Blocked) => blocked += 1,
            Some(End::Deadlock(_)) => ends.endless = true,
            Some(End::EventBound | End::Livelock(_)) => return None,
            Some(other) => panic!("{other:?}"),
        }
    }
    None
}

/// Goes round until register 3 is not 0.
fn until(mut turn: Vec<Op>, rest: Vec<Op>) -> Vec<Op> {
    turn.insert(0, Op::Head);
    turn.push(Op::SkipUnless(3, 0, rest.len() + 1));
    turn.extend(rest);
    let length = turn.len();
    turn.push(Op::Again(length));
    turn
}

fn piece(r: &mut Random) -> Vec<Op> {
    let m = r.below(MUTEXES);
    let (other, cell) = (1 - m, PROTECTED + 2 * m);
    let inside = |r: &mut Random| match r.below(3) {
        0 => vec![Op::PlainLoad(cell, 0)],
        1 => vec![],
        _ => vec![Op::Plain(cell, 1)],
    };
    let section = |inside: Vec<Op>| [vec![Op::Lock(m)], inside, vec![Op::Unlock(m)]].concat();
    match r.below(10) {
        // A look at what the mutex protects.
        0..2 => until(section(vec![Op::PlainLoad(cell, 3)]), vec![]),
        // Two locks in any order, with a way back.
        2..4 => {
            let back = vec![Op::Unlock(m), Op::Pause, Op::Lock(m)];
            let tries = until(vec![Op::Trylock(other, 3)], back);
            let all = [
                vec![Op::Lock(m)],
                tries,
                vec![Op::Unlock(other), Op::Unlock(m)],
            ];
            all.concat()
        }
        // A look at an atomic cell, and at a mutex between looks.
        4 => until(vec![Op::Load(0, 3)], section(vec![])),
        5 => {
            let tried = vec![Op::Trylock(m, 2), Op::SkipUnless(2, 1, 1), Op::Unlock(m)];
            until(vec![Op::Load(0, 3)], tried)
        }
        6 => vec![Op::Trylock(m, 1), Op::SkipUnless(1, 1, 1), Op::Unlock(m)],
        7 => vec![Op::Store(0, 1)],
        _ => {
            let inside = inside(r);
            section(inside)
        }
    }
}

fn program(r: &mut Random) -> Threads {
    let threads = r.pick(&[2, 2, 3]);
    let thread = |r: &mut Random| -> Vec<Op> {
        let pieces = 1 + r.below(2);
        (0..pieces).flat_map(|_| piece(r)).collect()
    };
    (0..threads).map(|_| thread(r)).collect()
}

/// What the search finds otherwise, and whether anything was left out. `None`: too big to compare.
fn compare(threads: &Threads, seed: u64) -> Option<Result<(bool, bool), String>> {
    let expected = all_ends(threads)?;
    let mut left = 0;
    for order in [Order::Leftmost, Order::Random(seed)] {
        let mut config = config(order, Mutation::None, true);
        config.max_events = Some(300);
        let (found, blocked) = found_ends(threads, config)?;
        left += blocked;
        if found != expected {
            let what = format!("{order:?}\nfound {found:?}\nof {expected:?}");
            return Some(Err(what));
        }
    }
    Some(Ok((left > 0, expected.endless)))
}

#[test]
fn leaves_out_only_what_makes_no_difference() {
    let setting = |name: &str| std::env::var(name).ok()?.parse().ok();
    let programs: u64 = setting("DPOR_ORACLE_PROGRAMS").unwrap_or(1_500);
    let seed: u64 = setting("DPOR_ORACLE_SEED").unwrap_or(0);
    let (mut compared, mut left_out, mut endless) = (0, 0, 0);
    for at in seed..seed + programs {
        let threads = program(&mut Random(at));
        match compare(&threads, at) {
            None => {}
            Some(Ok((left, ends_not))) => {
                compared += 1;
                left_out += u64::from(left);
                endless += u64::from(ends_not);
            }
            Some(Err(_)) => {
                let fails = |t: &Threads| compare(t, at).is_some_and(|found| found.is_err());
                let small = shrink(threads, fails);
                panic!("seed {at}, smaller: {small:?}\n{:?}", compare(&small, at));
            }
        }
    }
    println!(
        "{compared} of {programs} compared, in {left_out} something left out, {endless} do not end"
    );
    assert!(compared > programs / 2 && left_out > programs / 5 && endless > programs / 20);
}
