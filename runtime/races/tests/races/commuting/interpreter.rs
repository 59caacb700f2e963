//! Threads of plain and atomic accesses, for the explorer; the detector is told what they do.

use dpor_explorer::Program;
use dpor_model::*;
use dpor_races::{Race, Races};

/// One operation. Plain variables and atomic ones are different memory.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Read(u64),
    Write(u64),
    /// Cell, order. The thread's register is what it found.
    Load(u64, u32),
    /// Stores 1.
    Store(u64, u32),
    /// Cell, operator, order. Without result.
    Update(u64, u64, u32),
    /// Drops one of a count: cell, order. The register is whether it was the last one.
    Drop(u64, u32),
    /// Loads a count: cell, order. The register is whether it is 1.
    IsLast(u64, u32),
    Fence(u32),
    /// Skips the next operation unless the register has this value.
    SkipUnless(u64),
    /// Ends the thread unless the register has this value.
    SkipAllUnless(u64),
}

/// Something that a thread did, with its site.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    pub thread: ThreadId,
    pub op: Op,
    pub site: SiteId,
}

const ATOMICS: u64 = 0x1000;
const PLAIN: u64 = 0x2000;
const CELLS: usize = 8;

/// The program and its detector.
pub struct Machine {
    threads: Vec<Vec<Op>>,
    pc: Vec<usize>,
    register: Vec<u64>,
    memory: [u64; CELLS],
    races: Races,
    root: dpor_races::Mark,
    commute: bool,
    /// What happened, in order.
    pub told: Vec<Told>,
    /// What the detector answered.
    pub found: Vec<Race>,
    executed: Executed,
    operand: u64,
    /// What is in the cells at the beginning.
    pub initial: [u64; CELLS],
}

impl Machine {
    /// `commute`: the detector is told that updates commute.
    pub fn new(threads: &[Vec<Op>], mut races: Races, commute: bool) -> Self {
        for child in 1..threads.len() as u16 {
            races.create(ThreadId::MAIN, ThreadId(child));
        }
        Machine {
            threads: threads.to_vec(),
            pc: Vec::new(),
            register: Vec::new(),
            memory: [0; CELLS],
            root: races.mark(),
            races,
            commute,
            told: Vec::new(),
            found: Vec::new(),
            executed: Executed::nothing(),
            operand: 1,
            initial: [0; CELLS],
        }
    }

    /// Tells the detector of an operation, and performs it.
    fn perform(&mut self, t: usize) {
        let op = self.threads[t][self.pc[t]];
        let (thread, site) = (t as u16, (t * 100 + self.pc[t] + 1) as u64);
        self.pc[t] += 1;
        self.told.push(Told {
            thread: ThreadId(thread),
            op,
            site: SiteId(site),
        });
        let cell = |x: u64| ATOMICS + 8 * x;
        let races = &mut self.races;
        let found = match op {
            Op::Read(p) => races.read(ThreadId(thread), PLAIN + 8 * p, 8, SiteId(site)),
            Op::Write(p) => races.write(ThreadId(thread), PLAIN + 8 * p, 8, SiteId(site)),
            Op::Load(x, order) => {
                self.register[t] = self.memory[x as usize];
                races.atomic_load(ThreadId(thread), cell(x), 8, order, SiteId(site))
            }
            Op::Store(x, order) => {
                self.memory[x as usize] = 1;
                races.atomic_store(ThreadId(thread), cell(x), 8, order, SiteId(site))
            }
            Op::Update(x, operator, order) => {
                let memory = &mut self.memory[x as usize];
                *memory = match operator {
                    update::ADD => *memory + 1,
                    update::OR => *memory | 1,
                    _ => 1,
                };
                match operator {
                    update::OTHER => {
                        races.atomic_rmw(ThreadId(thread), cell(x), 8, order, SiteId(site))
                    }
                    update::ADD if self.commute => races.atomic_counter(
                        ThreadId(thread),
                        cell(x),
                        8,
                        Counter::LAST,
                        false,
                        order,
                        SiteId(site),
                    ),
                    _ if !self.commute => {
                        races.atomic_rmw(ThreadId(thread), cell(x), 8, order, SiteId(site))
                    }
                    _ => races.atomic_update(
                        ThreadId(thread),
                        cell(x),
                        8,
                        operator as u8,
                        order,
                        SiteId(site),
                    ),
                }
            }
            Op::Drop(x, order) => self.count(t, site, (x, order), true),
            Op::IsLast(x, order) => self.count(t, site, (x, order), false),
            Op::Fence(order) => {
                races.fence(ThreadId(thread), order);
                None
            }
            Op::SkipUnless(_) | Op::SkipAllUnless(_) => unreachable!("no operation"),
        };
        self.found.extend(found);
    }

    /// Tells the detector of a drop of a count, or of a look at it, and performs it.
    fn count(&mut self, t: usize, site: u64, (x, order): (u64, u32), drops: bool) -> Option<Race> {
        let memory = &mut self.memory[x as usize];
        let is_last = *memory == 1;
        *memory = memory.wrapping_sub(drops.into());
        self.register[t] = is_last.into();
        let (thread, site, cell) = (ThreadId(t as u16), SiteId(site), ATOMICS + 8 * x);
        let races = &mut self.races;
        let last = Counter::LAST;
        match (drops, self.commute) {
            (true, true) => races.atomic_counter(thread, cell, 8, last, is_last, order, site),
            (true, false) => races.atomic_rmw(thread, cell, 8, order, site),
            (false, true) if !is_last => races.atomic_look(thread, cell, (8, 8), order, site),
            (false, _) => races.atomic_load(thread, cell, 8, order, site),
        }
    }

    /// Runs a thread to its next event.
    fn settle(&mut self, t: usize) {
        while let Some(&op) = self.threads[t].get(self.pc[t]) {
            match op {
                Op::Read(_) | Op::Write(_) | Op::Fence(_) => self.perform(t),
                Op::SkipUnless(value) if self.register[t] != value => self.pc[t] += 2,
                Op::SkipAllUnless(value) if self.register[t] != value => {
                    self.pc[t] = self.threads[t].len();
                }
                Op::SkipUnless(_) | Op::SkipAllUnless(_) => self.pc[t] += 1,
                Op::Load(..) | Op::Store(..) | Op::Update(..) => return,
                Op::Drop(..) | Op::IsLast(..) => return,
            }
        }
    }

    fn next_of(&self, t: usize) -> Next {
        let Some(&op) = self.threads[t].get(self.pc[t]) else {
            return Next::Finished;
        };
        let (kind, x, argument) = match op {
            Op::Load(x, _) => (Kind::Load, x, Argument::NONE),
            Op::Store(x, _) => (Kind::Store, x, Argument::NONE),
            Op::Update(x, operator, _) => (Kind::ReadModifyWrite, x, Argument::update(operator)),
            Op::Drop(x, _) => (Kind::ReadModifyWrite, x, Argument::NONE),
            Op::IsLast(x, _) => (Kind::Load, x, Argument::counting(8)),
            other => unreachable!("{other:?} is no event"),
        };
        let detail = match op {
            Op::Drop(..) | Op::IsLast(..) => Detail::Counter(Counter::LAST),
            _ => Detail::None,
        };
        Next::Operation(Operation {
            bytes: 8,
            detail,
            object: ObjectId(ATOMICS + 8 * x),
            argument,
            ..Operation::new(kind, SiteId((t * 100 + self.pc[t]) as u64))
        })
    }
}

impl Program for Machine {
    fn restore(&mut self, _: Checkpoint) {
        self.races.rollback(self.root);
        self.told.clear();
        self.found.clear();
        self.pc = vec![0; self.threads.len()];
        self.register = vec![0; self.threads.len()];
        self.memory = self.initial;
        (0..self.threads.len()).for_each(|t| self.settle(t));
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        None
    }

    fn discard(&mut self, _: Checkpoint) {}

    fn root(&mut self) -> Vec<(ThreadId, Next)> {
        let all = 0..self.threads.len();
        all.map(|t| (ThreadId(t as u16), self.next_of(t))).collect()
    }

    fn step(&mut self, thread: ThreadId, _: Decision) -> &Executed {
        let t = usize::from(thread.0);
        let cell = match self.threads[t][self.pc[t]] {
            Op::Load(x, _) | Op::Store(x, _) | Op::Update(x, ..) => x as usize,
            Op::Drop(x, _) | Op::IsLast(x, _) => x as usize,
            other => unreachable!("{other:?} is no event"),
        };
        self.operand = match self.threads[t][self.pc[t]] {
            Op::Drop(..) => u64::MAX,
            _ => 1,
        };
        let before = [self.memory[cell], 0, 0];
        self.perform(t);
        let after = [self.memory[cell], 0, 0];
        self.settle(t);
        self.executed = Executed {
            before,
            after,
            next: self.next_of(t),
        };
        &self.executed
    }

    fn operand(&mut self) -> u64 {
        self.operand
    }
}
