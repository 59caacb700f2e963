//! Counts the Mazurkiewicz traces of threads that go round in loops, by brute force.
//!
//! A thread is a function that is written like the C program it stands for. It is run again from its beginning for each
//! of its events, with the results of those before: so it needs no state that could be saved, and a loop needs no
//! instruction numbers. All interleavings are run, level by level, and two of them are one as soon as their canonical
//! forms are equal (as in [`crate::enumerate`]).
//!
//! What a loop waits for is defined here once more: a turn that begins with the same local variables as the one before,
//! none of whose events changed a cell, begins only while some cell is not what that turn saw; or, if such turns are left
//! out ([`count_leaving_out`]), not at all. Nothing is known of how the checker finds such loops or reverses races.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Index of a cell.
pub type Cell = usize;

/// The thread cannot go on before its next event has happened.
#[derive(Debug)]
pub struct Pending;

/// What a thread does: `Err` where it stands before an event.
pub type Run = Result<(), Pending>;

/// A thread.
pub type Thread<'a> = &'a dyn Fn(&mut Cpu) -> Run;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Change {
    Read,
    To(i64),
    Add(i64),
    /// A compare-exchange with the expected and the new value.
    Exchange(i64, i64),
}

/// An event that happened: cell, what it was, what it became.
type Past = (Cell, i64, i64);

type Test = Box<dyn Fn(i64) -> bool>;

/// What a thread runs on.
pub struct Cpu<'a> {
    past: &'a [Past],
    done: usize,
    next: Option<(Cell, Change)>,
    passes: Option<Test>,
    gate: Vec<(Cell, i64)>,
    /// True if the thread stands behind a turn in vain.
    in_vain: bool,
    /// True if the thread would go on in another way where its next event cannot happen.
    retries: bool,
}

/// A loop, as it is gone through this time.
#[derive(Default)]
pub struct Loop {
    last: Option<(Vec<i64>, usize)>,
}

impl Cpu<'_> {
    /// The head of a loop; `locals`: the variables that a turn depends on.
    pub fn turn(&mut self, of: &mut Loop, locals: &[i64]) {
        let last = of.last.replace((locals.to_vec(), self.done));
        let Some((before, begin)) = last else { return };
        let turn = &self.past[begin..self.done];
        let same = |a: &Past| turn.iter().all(|b| a.0 != b.0 || a.1 == b.1);
        let changes_nothing = turn.iter().all(|past| past.1 == past.2);
        self.in_vain = before == locals && changes_nothing;
        if self.in_vain && turn.iter().all(same) {
            self.gate = turn.iter().map(|past| (past.0, past.1)).collect();
        }
    }

    fn event(&mut self, cell: Cell, change: Change, passes: Option<Test>) -> Result<i64, Pending> {
        match self.past.get(self.done) {
            Some(past) => {
                (self.done, self.gate, self.in_vain) = (self.done + 1, Vec::new(), false);
                Ok(past.1)
            }
            None => {
                (self.next, self.passes) = (Some((cell, change)), passes);
                Err(Pending)
            }
        }
    }

    /// Lets the thread stand here for ever, which nobody minds.
    pub fn cut(&mut self) -> Run {
        Err(Pending)
    }

    /// Loads the value of a cell.
    pub fn load(&mut self, cell: Cell) -> Result<i64, Pending> {
        self.event(cell, Change::Read, None)
    }

    /// Loads the value of a cell once it passes a test: a loop that looks at this cell only.
    pub fn wait(
        &mut self,
        cell: Cell,
        passes: impl Fn(i64) -> bool + 'static,
    ) -> Result<i64, Pending> {
        self.event(cell, Change::Read, Some(Box::new(passes)))
    }

    /// Stores a value to a cell.
    pub fn store(&mut self, cell: Cell, value: i64) -> Result<i64, Pending> {
        self.event(cell, Change::To(value), None)
    }

    /// Stores a value to a cell, and returns what was there.
    pub fn swap(&mut self, cell: Cell, value: i64) -> Result<i64, Pending> {
        self.event(cell, Change::To(value), None)
    }

    /// Adds to a cell, and returns what was there.
    pub fn add(&mut self, cell: Cell, value: i64) -> Result<i64, Pending> {
        self.event(cell, Change::Add(value), None)
    }

    /// Compares and exchanges, and returns whether it did.
    pub fn exchange(&mut self, cell: Cell, expected: i64, new: i64) -> Result<bool, Pending> {
        let old = self.event(cell, Change::Exchange(expected, new), None)?;
        Ok(old == expected)
    }

    /// Compares and exchanges in a loop that tries again with what it found: as if it looked before as late as that.
    pub fn retry(&mut self, cell: Cell, expected: i64, new: i64) -> Result<i64, Pending> {
        let found = self.acquire(cell, expected, new);
        self.retries = found.is_err();
        found
    }

    /// Compares and exchanges in a loop that does nothing else until it succeeds.
    pub fn acquire(&mut self, cell: Cell, expected: i64, new: i64) -> Result<i64, Pending> {
        let passes: Test = Box::new(move |value| value == expected);
        self.event(cell, Change::Exchange(expected, new), Some(passes))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Class {
    Read,
    Write,
}

/// The events of each cell in order, neighbours that read in a set. An event is its thread, and how many the thread had
/// before.
type Form = BTreeMap<Cell, Vec<(Class, BTreeSet<(usize, usize)>)>>;

#[derive(Clone, Default)]
struct State {
    cells: BTreeMap<Cell, i64>,
    pasts: Vec<Vec<Past>>,
    form: Form,
}

/// Executions by how they end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Every thread ended.
    pub complete: u64,
    /// Some thread waits for ever.
    pub stuck: u64,
    /// Some thread stands where it was cut.
    pub cut: u64,
    /// Some thread goes no further behind a turn in vain, and would find something else in the next.
    pub blocked: u64,
}

/// Runs every interleaving of the threads. `cells`: those that are not 0 at first.
pub fn count(threads: &[Thread<'_>], cells: &[(Cell, i64)]) -> Totals {
    count_either(threads, cells, false)
}

/// Like [`count`], where a thread goes no further behind a turn in vain.
pub fn count_leaving_out(threads: &[Thread<'_>], cells: &[(Cell, i64)]) -> Totals {
    count_either(threads, cells, true)
}

fn count_either(threads: &[Thread<'_>], cells: &[(Cell, i64)], leaves_out: bool) -> Totals {
    let start = State {
        cells: cells.iter().copied().collect(),
        pasts: vec![Vec::new(); threads.len()],
        ..State::default()
    };
    let mut totals = Totals::default();
    let mut level = HashMap::from([(start.form.clone(), start)]);
    while !level.is_empty() {
        let mut next = HashMap::new();
        for state in level.into_values() {
            let mut is_last = true;
            let (mut all_ended, mut is_cut, mut is_blocked) = (true, false, false);
            for (thread, run) in threads.iter().enumerate() {
                let mut cpu = state.cpu(thread);
                if run(&mut cpu).is_ok() {
                    continue;
                }
                all_ended = false;
                let gate = cpu.gate;
                let Some(event) = cpu.next else {
                    is_cut = true;
                    continue;
                };
                if leaves_out && cpu.in_vain {
                    is_blocked |= state.is_enabled(event.0, None, &gate);
                    continue;
                }
                if !state.is_enabled(event.0, cpu.passes.as_ref(), &gate) {
                    is_blocked |= cpu.retries;
                    continue;
                }
                is_last = false;
                let after = state.after(thread, event, &gate);
                next.insert(after.form.clone(), after);
            }
            match (is_last, all_ended) {
                (true, true) => totals.complete += 1,
                (true, false) if is_cut => totals.cut += 1,
                (true, false) if is_blocked => totals.blocked += 1,
                (true, false) => totals.stuck += 1,
                _ => {}
            }
        }
        level = next;
    }
    totals
}

impl State {
    fn cell(&self, cell: Cell) -> i64 {
        self.cells.get(&cell).copied().unwrap_or(0)
    }

    fn cpu(&self, thread: usize) -> Cpu<'_> {
        Cpu {
            past: &self.pasts[thread],
            done: 0,
            next: None,
            passes: None,
            gate: Vec::new(),
            in_vain: false,
            retries: false,
        }
    }

    fn is_enabled(&self, cell: Cell, passes: Option<&Test>, gate: &[(Cell, i64)]) -> bool {
        match passes {
            // What waits for its own cell has no gate.
            Some(passes) => passes(self.cell(cell)),
            None => gate.is_empty() || gate.iter().any(|&(c, value)| self.cell(c) != value),
        }
    }

    fn after(&self, thread: usize, (cell, change): (Cell, Change), gate: &[(Cell, i64)]) -> State {
        let mut next = self.clone();
        let before = self.cell(cell);
        let (after, class) = match change {
            Change::Read => (before, Class::Read),
            Change::To(value) => (value, Class::Write),
            Change::Add(value) => (before + value, Class::Write),
            Change::Exchange(expected, new) if before == expected => (new, Class::Write),
            Change::Exchange(..) => (before, Class::Read),
        };
        next.cells.insert(cell, after);
        let event = (thread, self.pasts[thread].len());
        next.pasts[thread].push((cell, before, after));
        let others: BTreeSet<Cell> = gate
            .iter()
            .map(|look| look.0)
            .filter(|&c| c != cell)
            .collect();
        let touched = others.into_iter().map(|other| (other, Class::Read));
        for (cell, class) in touched.chain([(cell, class)]) {
            let log = next.form.entry(cell).or_default();
            match log.last_mut() {
                Some((Class::Read, set)) if class == Class::Read => {
                    set.insert(event);
                }
                _ => log.push((class, BTreeSet::from([event]))),
            }
        }
        next
    }
}
