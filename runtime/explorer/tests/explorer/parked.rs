//! Loops that lock, try and unlock mutexes, read-write locks and semaphores, against the loops themselves: executions
//! that are left out, because a turn in vain came back to where it began, must make no difference to what executions
//! end with.
//!
//! As in `places`, the loops are run as they are, every interleaving, states that are the same merged. Here the oracle
//! knows who holds which lock.

use crate::compare::config;
use crate::interpreter::{Interpreter, Machine, Op, Plain, Threads, CELLS, REGISTERS};
use crate::random::{shrink, Random};
use dpor_explorer::{Config, End, Explorer, Mutation, Order};
use std::collections::{BTreeSet, HashMap};

/// Programs with more states are skipped.
const STATES_MAX: usize = 3_000;
/// Programs whose search has more executions than this are not compared.
const EXECUTIONS_MAX: usize = 20_000;
const LOCKS: usize = 2;
/// The cell that a lock protects.
const PROTECTED: usize = 10;
const EBUSY: i32 = 16;
const EAGAIN: i32 = 11;

type Registers = [u64; REGISTERS];
/// Memory, and the registers of all threads.
type Final = ([u64; CELLS], Vec<Registers>);

/// The states with which executions in which all threads end leave, and whether some executions have threads that
/// cannot end.
#[derive(Default, PartialEq, Eq, Debug)]
struct Ends {
    complete: BTreeSet<Final>,
    endless: bool,
}

/// The state of a lock: its holders as a mutex and as a read-write lock, and its count as a semaphore.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
struct Lock {
    owner: Option<usize>,
    readers: usize,
    count: usize,
}

/// The machine, and the locks.
#[derive(Clone)]
struct State {
    machine: Machine,
    locks: [Lock; LOCKS],
}

type Key = ([u64; CELLS], Vec<usize>, Vec<Registers>, [Lock; LOCKS]);

impl State {
    fn key(&self) -> Key {
        let m = &self.machine;
        (m.memory, m.pc.clone(), m.registers.clone(), self.locks)
    }

    /// The state after thread `t` has gone on; `None` if it cannot.
    fn after(&self, threads: &Threads, t: usize) -> Option<State> {
        let mut next = self.clone();
        let mut result = 0;
        match threads[t].get(self.machine.pc[t])? {
            Op::Lock(m) => {
                self.locks[*m].owner.is_none().then_some(())?;
                next.locks[*m].owner = Some(t);
            }
            Op::Trylock(m, _) if self.locks[*m].owner.is_some() => result = EBUSY,
            Op::Trylock(m, _) => next.locks[*m].owner = Some(t),
            Op::Unlock(m) => next.locks[*m].owner = None,
            Op::RwRead(m) => {
                self.locks[*m].owner.is_none().then_some(())?;
                next.locks[*m].readers += 1;
            }
            Op::RwTryread(m, _) if self.locks[*m].owner.is_some() => result = EBUSY,
            Op::RwTryread(m, _) => next.locks[*m].readers += 1,
            Op::RwWrite(m) => {
                (self.locks[*m] == Lock::default()).then_some(())?;
                next.locks[*m].owner = Some(t);
            }
            Op::RwTrywrite(m, _) if self.locks[*m] != Lock::default() => result = EBUSY,
            Op::RwTrywrite(m, _) => next.locks[*m].owner = Some(t),
            Op::RwUnlock(m) if self.locks[*m].owner == Some(t) => next.locks[*m].owner = None,
            Op::RwUnlock(m) => next.locks[*m].readers -= 1,
            Op::SemWait(m) => {
                (self.locks[*m].count > 0).then_some(())?;
                next.locks[*m].count -= 1;
            }
            Op::SemTrywait(m, _) if self.locks[*m].count == 0 => result = EAGAIN,
            Op::SemTrywait(m, _) => next.locks[*m].count -= 1,
            Op::SemPost(m) => next.locks[*m].count += 1,
            _ => {}
        }
        let plain = &mut Plain::default();
        next.machine.perform(threads, t, 0, result, plain);
        Some(next)
    }
}

/// The ends of all executions of the loops as they are, by brute force. `None`: they have too many states.
fn all_ends(threads: &Threads) -> Option<Ends> {
    let machine = Machine::new(threads);
    let mut states = vec![State {
        machine,
        locks: [Lock::default(); LOCKS],
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

/// The ends that the search finds, and the number of executions that it cut because of a turn in vain.
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
            // A misuse comes where a program is made smaller.
            Some(End::EventBound | End::Livelock(_) | End::Misuse(_)) => return None,
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
    let m = r.below(LOCKS);
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
    let mut threads: Threads = (0..threads).map(|_| thread(r)).collect();
    for m in 0..LOCKS {
        match r.below(3) {
            0 => {}
            1 => as_rwlock(m, &mut threads, r),
            _ => as_semaphore(m, &mut threads),
        }
    }
    threads
}

/// Makes a mutex a read-write lock. Who stores under it writes; others may do both.
fn as_rwlock(m: usize, threads: &mut Threads, r: &mut Random) {
    for thread in threads {
        for at in 0..thread.len() {
            let stores = matches!(thread.get(at + 1), Some(Op::Plain(..)));
            let writes = stores || r.below(2) == 0;
            thread[at] = match thread[at] {
                Op::Lock(n) if n == m && writes => Op::RwWrite(m),
                Op::Lock(n) if n == m => Op::RwRead(m),
                Op::Trylock(n, register) if n == m && writes => Op::RwTrywrite(m, register),
                Op::Trylock(n, register) if n == m => Op::RwTryread(m, register),
                Op::Unlock(n) if n == m => Op::RwUnlock(m),
                op => op,
            };
        }
    }
}

/// Makes a mutex a semaphore, which the first thread posts first.
fn as_semaphore(m: usize, threads: &mut Threads) {
    for thread in threads.iter_mut() {
        for op in thread {
            *op = match *op {
                Op::Lock(n) if n == m => Op::SemWait(m),
                Op::Trylock(n, register) if n == m => Op::SemTrywait(m, register),
                Op::Unlock(n) if n == m => Op::SemPost(m),
                op => op,
            };
        }
    }
    threads[0].insert(0, Op::SemPost(m));
}

/// The ends that the search finds with another configuration, and whether anything was left out. `None`: the program
/// is too big to compare.
fn compare(threads: &Threads, seed: u64) -> Option<Result<(bool, bool), String>> {
    let expected = all_ends(threads)?;
    let mut left = 0;
    for order in [Order::Leftmost, Order::Random(seed)] {
        let mut config = config(order, Mutation::None, true);
        config.max_events = Some(300);
        // Turns in vain that come twice end with the same.
        config.turns_again = seed % 2 == 1;
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
    assert!(compared > programs / 3 && left_out > programs / 5 && endless > programs / 20);
}
