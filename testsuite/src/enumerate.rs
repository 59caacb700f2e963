//! Counts the Mazurkiewicz traces of a tiny program by brute force.
//!
//! The search under test decides by clocks, races, sleep sets and wakeup trees. Here are none of
//! them: all interleavings are run level by level, and two of them are one as soon as their
//! canonical forms are equal. The canonical form has, for every object, its events in order, with
//! neighbours that commute gathered in a set.
//! **Source**: the definition of a trace (Mazurkiewicz 1977), and for condition variables the
//! split of a wait into *enqueue* (which unlocks) and *reacquire*.
//!
//! *Cost*: the number of prefixes of traces; meant for some ten thousands.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Index of a register of the thread, a shared cell, a mutex, or a condition variable.
pub type Index = usize;

/// A number to store: a constant plus, perhaps, a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// Added to the constant.
    pub register: Option<Index>,
    /// The constant.
    pub constant: i64,
}

/// A constant.
pub const fn constant(constant: i64) -> Value {
    Value {
        register: None,
        constant,
    }
}

/// A register plus a constant.
pub const fn register(register: Index, constant: i64) -> Value {
    Value {
        register: Some(register),
        constant,
    }
}

/// An instruction. All but `SkipUnless`, `Assume` and `Assert` are events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Cell `.1` to register `.0`.
    Load(Index, Index),
    /// Value `.1` to cell `.0`.
    Store(Index, Value),
    /// Adds `.2` to cell `.1`; register `.0` gets the old value.
    FetchAdd(Index, Index, i64),
    /// Cell `.1` becomes `.3` if it is `.2`; register `.0` gets whether it was.
    CompareExchange(Index, Index, i64, Value),
    /// Locks a mutex.
    Lock(Index),
    /// Register `.0` gets 1 if mutex `.1` was free and is now ours.
    Trylock(Index, Index),
    /// Unlocks a mutex.
    Unlock(Index),
    /// First half of waiting for condition `.0` with mutex `.1`.
    Enqueue(Index, Index),
    /// The second half of a wait: takes the mutex again.
    Reacquire(Index, Index),
    /// Wakes one waiter of a condition, any of them.
    Signal(Index),
    /// Wakes all waiters of a condition variable.
    Broadcast(Index),
    /// Skips `.2` instructions unless register `.0` is `.1`.
    SkipUnless(Index, i64, usize),
    /// Creates a thread, which then stands before its [`Op::Start`].
    Create(usize),
    /// First event of a created thread.
    Start,
    /// Waits for the end of a thread.
    Join(usize),
    /// Conflicts with every event of every other thread but starts and joins.
    Everything,
    /// Stands still for ever unless register `.0` is `.1`.
    Assume(Index, i64),
    /// The execution fails, at once, unless register `.0` is `.1`.
    Assert(Index, i64),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Object {
    /// Read by every event, written by those that conflict with everything.
    World,
    Cell(Index),
    Mutex(Index),
    Condition(Index),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Class {
    Read,
    Write,
    /// Enqueues of one condition variable commute.
    Enqueue,
}

/// Thread, its instruction, the alternative it took (waiter of a signal).
type Event = (usize, usize, usize);
type Form = BTreeMap<Object, Vec<(Class, BTreeSet<Event>)>>;

#[derive(Clone, Debug, Default)]
struct Thread {
    at: usize,
    /// Events so far: sets two rounds of a loop apart.
    steps: usize,
    registers: BTreeMap<Index, i64>,
    dead: bool,
}

#[derive(Clone, Debug, Default)]
struct State {
    threads: Vec<Thread>,
    cells: BTreeMap<Index, i64>,
    owners: BTreeMap<Index, usize>,
    waiters: BTreeMap<Index, BTreeSet<usize>>,
    created: BTreeSet<usize>,
    failed: bool,
    form: Form,
}

/// Executions by how they end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Every thread ended.
    pub complete: u64,
    /// A thread stands in an assume and no other can go on.
    pub blocked: u64,
    /// Threads wait for each other or for a signal.
    pub deadlocked: u64,
    /// An assertion failed.
    pub failed: u64,
    /// Final values of the cells in complete executions, and in how many.
    pub finals: BTreeMap<Vec<i64>, u64>,
}

/// Runs every interleaving of the threads; cells start as 0.
///
/// # Panics
/// If a thread unlocks what it does not own: such programs are not for counting.
pub fn count(program: &[Vec<Op>]) -> Totals {
    let mut totals = Totals::default();
    let all = last_states(program, usize::MAX).expect("nothing is too many");
    all.iter().for_each(|state| totals.add(state, program));
    totals
}

/// The state in which an execution ends.
#[derive(Clone, Debug)]
pub struct Last {
    /// The operation that each thread stands before; `None`: the thread has ended.
    pub before: Vec<Option<Op>>,
    /// The registers of each thread.
    pub registers: Vec<BTreeMap<Index, i64>>,
    /// The thread that holds each mutex which is held.
    pub owners: BTreeMap<Index, usize>,
}

/// The states in which the executions end, one of each trace; `None` if more than so many prefixes of traces of one
/// length are met.
///
/// # Panics
/// As [`count`].
pub fn ends(program: &[Vec<Op>], prefixes_max: usize) -> Option<Vec<Last>> {
    let states = last_states(program, prefixes_max)?.into_iter();
    let ends = states.map(|state| {
        let threads = state.threads.iter();
        Last {
            before: { threads.clone().zip(program) }
                .map(|(thread, operations)| operations.get(thread.at).copied())
                .collect(),
            registers: threads.map(|thread| thread.registers.clone()).collect(),
            owners: state.owners,
        }
    });
    Some(ends.collect())
}

/// The last states, one of each trace.
fn last_states(program: &[Vec<Op>], prefixes_max: usize) -> Option<Vec<State>> {
    let mut start = State {
        threads: vec![Thread::default(); program.len()],
        ..State::default()
    };
    for thread in 0..program.len() {
        start.run_silent(program, thread);
    }
    let mut all = Vec::new();
    let mut level = HashMap::from([(key(&start), start)]);
    while !level.is_empty() {
        let mut next = HashMap::new();
        for state in level.into_values() {
            let successors = state.successors(program);
            if successors.is_empty() {
                all.push(state);
            }
            for successor in successors {
                next.insert(key(&successor), successor);
            }
        }
        if next.len() > prefixes_max {
            return None;
        }
        level = next;
    }
    Some(all)
}

/// A failed execution may differ from others only in where its threads stand.
fn key(state: &State) -> String {
    let steps: Vec<usize> = state.threads.iter().map(|thread| thread.steps).collect();
    format!("{:?}{steps:?}{}", state.form, state.failed)
}

impl Totals {
    fn add(&mut self, state: &State, program: &[Vec<Op>]) {
        let ended = |(index, thread): (usize, &Thread)| thread.at == program[index].len();
        if state.failed {
            self.failed += 1;
        } else if state.threads.iter().any(|thread| thread.dead) {
            self.blocked += 1;
        } else if state.threads.iter().enumerate().all(ended) {
            self.complete += 1;
            let finals = state.cells.values().copied().collect();
            *self.finals.entry(finals).or_insert(0) += 1;
        } else {
            self.deadlocked += 1;
        }
    }
}

impl State {
    fn successors(&self, program: &[Vec<Op>]) -> Vec<State> {
        if self.failed {
            return Vec::new();
        }
        let mut all = Vec::new();
        for thread in 0..program.len() {
            let state = &self.threads[thread];
            let Some(op) = program[thread].get(state.at) else {
                continue;
            };
            if state.dead || !self.enabled(program, thread, *op) {
                continue;
            }
            for alternative in self.alternatives(*op) {
                let mut next = self.clone();
                next.step(thread, *op, alternative);
                next.run_silent(program, thread);
                all.push(next);
            }
        }
        all
    }

    fn enabled(&self, program: &[Vec<Op>], thread: usize, op: Op) -> bool {
        match op {
            Op::Start => self.created.contains(&thread),
            Op::Join(other) => self.threads[other].at == program[other].len(),
            Op::Lock(mutex) => !self.owners.contains_key(&mutex),
            Op::Reacquire(condition, mutex) => {
                !self.waiting(condition).contains(&thread) && !self.owners.contains_key(&mutex)
            }
            _ => true,
        }
    }

    fn waiting(&self, condition: Index) -> BTreeSet<usize> {
        self.waiters.get(&condition).cloned().unwrap_or_default()
    }

    fn alternatives(&self, op: Op) -> Vec<usize> {
        match op {
            Op::Signal(condition) if !self.waiting(condition).is_empty() => {
                self.waiting(condition).into_iter().collect()
            }
            _ => vec![usize::MAX],
        }
    }

    fn value(&self, thread: usize, value: Value) -> i64 {
        let register = value
            .register
            .map_or(0, |register| self.register(thread, register));
        register + value.constant
    }

    fn register(&self, thread: usize, register: Index) -> i64 {
        *self.threads[thread].registers.get(&register).unwrap_or(&0)
    }

    fn set(&mut self, thread: usize, register: Index, value: i64) {
        self.threads[thread].registers.insert(register, value);
    }

    fn cell(&mut self, cell: Index) -> &mut i64 {
        self.cells.entry(cell).or_insert(0)
    }

    fn step(&mut self, thread: usize, op: Op, alternative: usize) {
        let mut touched = self.apply(thread, op, alternative);
        match op {
            // They happen as soon as they can, and order nothing but their own thread's past.
            Op::Start | Op::Join(_) => {}
            Op::Everything => touched.push((Object::World, Class::Write)),
            _ => touched.push((Object::World, Class::Read)),
        }
        let event = (thread, self.threads[thread].steps, alternative);
        for (object, class) in touched {
            let log = self.form.entry(object).or_default();
            match log.last_mut() {
                Some((last, set)) if *last == class && class != Class::Write => {
                    set.insert(event);
                }
                _ => log.push((class, BTreeSet::from([event]))),
            }
        }
        self.threads[thread].at += 1;
        self.threads[thread].steps += 1;
    }

    fn apply(&mut self, thread: usize, op: Op, alternative: usize) -> Vec<(Object, Class)> {
        match op {
            Op::Load(to, from) => {
                let value = *self.cell(from);
                self.set(thread, to, value);
                vec![(Object::Cell(from), Class::Read)]
            }
            Op::Store(to, value) => {
                *self.cell(to) = self.value(thread, value);
                vec![(Object::Cell(to), Class::Write)]
            }
            Op::FetchAdd(to, at, by) => {
                let old = *self.cell(at);
                *self.cell(at) = old + by;
                self.set(thread, to, old);
                vec![(Object::Cell(at), Class::Write)]
            }
            Op::CompareExchange(to, at, expected, new) => {
                let success = *self.cell(at) == expected;
                if success {
                    *self.cell(at) = self.value(thread, new);
                }
                self.set(thread, to, success.into());
                vec![(Object::Cell(at), written(success))]
            }
            Op::Trylock(to, mutex) => {
                let free = !self.owners.contains_key(&mutex);
                if free {
                    self.owners.insert(mutex, thread);
                }
                self.set(thread, to, free.into());
                vec![(Object::Mutex(mutex), written(free))]
            }
            _ => self.apply_blocking(thread, op, alternative),
        }
    }

    fn apply_blocking(&mut self, thread: usize, op: Op, woken: usize) -> Vec<(Object, Class)> {
        match op {
            Op::Lock(mutex) | Op::Reacquire(_, mutex) => {
                self.owners.insert(mutex, thread);
                vec![(Object::Mutex(mutex), Class::Write)]
            }
            Op::Unlock(mutex) => {
                self.release(thread, mutex);
                vec![(Object::Mutex(mutex), Class::Write)]
            }
            Op::Enqueue(condition, mutex) => {
                self.release(thread, mutex);
                self.waiters.entry(condition).or_default().insert(thread);
                vec![
                    (Object::Mutex(mutex), Class::Write),
                    (Object::Condition(condition), Class::Enqueue),
                ]
            }
            Op::Signal(condition) => {
                self.waiters.entry(condition).or_default().remove(&woken);
                vec![(Object::Condition(condition), Class::Write)]
            }
            Op::Create(other) => {
                self.created.insert(other);
                Vec::new()
            }
            Op::Broadcast(condition) => {
                self.waiters.remove(&condition);
                vec![(Object::Condition(condition), Class::Write)]
            }
            _ => Vec::new(),
        }
    }

    fn release(&mut self, thread: usize, mutex: Index) {
        let owner = self.owners.remove(&mutex);
        assert_eq!(owner, Some(thread), "thread {thread} unlocks mutex {mutex}");
    }

    /// Executes everything up to the thread's next event.
    fn run_silent(&mut self, program: &[Vec<Op>], thread: usize) {
        while let Some(op) = program[thread].get(self.threads[thread].at) {
            match *op {
                Op::SkipUnless(register, value, instructions) => {
                    if self.register(thread, register) != value {
                        self.threads[thread].at += instructions;
                    }
                }
                Op::Assume(register, value) if self.register(thread, register) != value => {
                    self.threads[thread].dead = true;
                    return;
                }
                Op::Assert(register, value) if self.register(thread, register) != value => {
                    self.failed = true;
                    return;
                }
                Op::Assume(..) | Op::Assert(..) => {}
                _ => return,
            }
            self.threads[thread].at += 1;
        }
    }
}

fn written(success: bool) -> Class {
    if success {
        Class::Write
    } else {
        Class::Read
    }
}
