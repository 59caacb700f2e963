//! Programs that are searched at full speed: what a thread does is a short list, and a state is a few
//! hundred bytes without pointers.
//!
//! Each is one of `testsuite/programs/`, where its number of executions is derived.

use dpor_explorer::Program;
use dpor_model::*;

const THREADS: usize = 24;
const CELLS: usize = 128;

const MUTEX: ObjectId = ObjectId(1);
const NOT_FULL: u64 = 2;
const NOT_EMPTY: u64 = 3;

/// What a thread does next.
#[derive(Clone, Copy, Debug)]
enum Op {
    /// Reads a cell; with `true` the thread ends if it is 0.
    Load(u8, bool),
    /// Writes to a cell what the thread read last, plus one.
    StoreNext(u8),
    /// Compares a cell with 0 and sets it; if it is taken, goes on at the next cell.
    Insert(u8),
    Lock,
    Unlock,
    /// While so many items are held: waits on [`NOT_FULL`]; then adds one.
    Produce(u8),
    /// While none is held: waits on [`NOT_EMPTY`]; then takes one.
    Consume,
    Signal(u64),
}

/// A program's name, its threads and its number of executions.
pub struct Script {
    pub name: String,
    pub executions: u64,
    threads: Vec<Vec<Op>>,
}

impl Script {
    fn new(name: String, executions: u64, threads: Vec<Vec<Op>>) -> Script {
        assert!(threads.len() <= THREADS, "{name}");
        Script {
            name,
            executions,
            threads,
        }
    }
}

/// `testsuite/programs/atomics/lastzero.c`.
pub fn lastzero(n: u32) -> Script {
    let scan = (0..=n as u8).rev().map(|i| Op::Load(i, true)).collect();
    let mut threads = vec![scan];
    let raise = |j: u8| vec![Op::Load(j - 1, false), Op::StoreNext(j)];
    threads.extend((1..=n as u8).map(raise));
    let executions = u64::from(n + 3) << (n - 2);
    Script::new(format!("lastzero {n}"), executions, threads)
}

/// `testsuite/programs/atomics/indexer.c`.
pub fn indexer(n: u32) -> Script {
    let cell = |m: u32, thread: u32| (m * 11 + thread) * 7 % CELLS as u32;
    let thread = |t: u32| (1..=4).map(|m| Op::Insert(cell(m, t) as u8)).collect();
    let threads = (0..n).map(thread).collect();
    let executions = 8u64.pow(n.saturating_sub(11));
    Script::new(format!("indexer {n}"), executions, threads)
}

/// `testsuite/programs/pthread/lock.c`, with any number of sections.
pub fn lock(threads: u32, sections: u32) -> Script {
    let factorial = |n: u32| (1..=u128::from(n)).product::<u128>();
    let executions = factorial(threads * sections) / factorial(sections).pow(threads);
    let body = [Op::Lock, Op::Unlock].repeat(sections as usize);
    Script::new(
        format!("lock {threads}x{sections}"),
        u64::try_from(executions).expect("as many as can be counted"),
        vec![body; threads as usize],
    )
}

/// `testsuite/programs/pthread/producers_consumers.c`: N of each.
pub fn bounded_buffer(n: u32) -> Script {
    let produce = [
        Op::Lock,
        Op::Produce(n as u8),
        Op::Signal(NOT_EMPTY),
        Op::Unlock,
    ];
    let consume = [Op::Lock, Op::Consume, Op::Signal(NOT_FULL), Op::Unlock];
    let mut threads = vec![produce.to_vec(); n as usize];
    threads.extend(vec![consume.to_vec(); n as usize]);
    let executions = [2, 60, 9_432, 5_001_984][n as usize - 1];
    Script::new(format!("bounded buffer {n}+{n}"), executions, threads)
}

#[derive(Clone, Copy)]
struct State {
    done: [u8; THREADS],
    /// What a thread read last; of an [`Op::Insert`], cells tried.
    register: [u8; THREADS],
    /// By thread: true if it stands before the second half of a wait.
    woken: [bool; THREADS],
    cells: [u8; CELLS],
    held: u8,
}

/// A script that runs.
pub struct Actor<'a> {
    threads: &'a [Vec<Op>],
    now: State,
    root: State,
    saved: Vec<State>,
    free: Vec<u32>,
    executed: Executed,
}

impl<'a> Actor<'a> {
    pub fn new(script: &'a Script) -> Self {
        let root = State {
            done: [0; THREADS],
            register: [0; THREADS],
            woken: [false; THREADS],
            cells: [0; CELLS],
            held: 0,
        };
        Actor {
            threads: &script.threads,
            now: root,
            root,
            saved: Vec::new(),
            free: Vec::new(),
            executed: Executed::nothing(),
        }
    }

    fn cell(&self, t: usize, op: Op) -> usize {
        match op {
            Op::Load(cell, _) | Op::StoreNext(cell) => cell as usize,
            Op::Insert(cell) => (cell as usize + self.now.register[t] as usize) % CELLS,
            _ => CELLS,
        }
    }

    fn next_of(&self, t: usize) -> Next {
        let Some(&op) = self.threads[t].get(self.now.done[t] as usize) else {
            return Next::Finished;
        };
        let site = t as u64 * 256 + u64::from(self.now.done[t]);
        let memory = |kind| Operation {
            object: ObjectId(4096 + 8 * self.cell(t, op) as u64),
            bytes: 8,
            ..Operation::new(kind, SiteId(site))
        };
        let of = |kind, object| Operation {
            object,
            ..Operation::new(kind, SiteId(site))
        };
        let wait = |condition| Operation {
            other: MUTEX,
            ..of(
                match self.now.woken[t] {
                    true => Kind::CondReacquire,
                    false => Kind::CondEnqueue,
                },
                ObjectId(condition),
            )
        };
        Next::Operation(match op {
            Op::Load(..) => memory(Kind::Load),
            Op::StoreNext(_) => memory(Kind::Store),
            Op::Insert(_) => memory(Kind::CompareExchange),
            Op::Lock => of(Kind::MutexLock, MUTEX),
            Op::Unlock => of(Kind::MutexUnlock, MUTEX),
            Op::Produce(_) => wait(NOT_FULL),
            Op::Consume => wait(NOT_EMPTY),
            Op::Signal(condition) => of(Kind::CondSignal, ObjectId(condition)),
        })
    }

    /// What a thread does between two events: only where it holds the mutex.
    fn settle(&mut self, t: usize) {
        let now = &mut self.now;
        match self.threads[t].get(now.done[t] as usize) {
            Some(&Op::Produce(most)) if now.held < most => now.held += 1,
            Some(Op::Consume) if now.held > 0 => now.held -= 1,
            _ => return,
        }
        now.done[t] += 1;
    }
}

impl Program for Actor<'_> {
    fn restore(&mut self, checkpoint: Checkpoint) {
        self.now = match checkpoint {
            ROOT => self.root,
            Checkpoint(n) => self.saved[n as usize - 1],
        };
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        if let Some(n) = self.free.pop() {
            self.saved[n as usize - 1] = self.now;
            return Some(Checkpoint(n));
        }
        self.saved.push(self.now);
        Some(Checkpoint(self.saved.len() as u32))
    }

    fn discard(&mut self, checkpoint: Checkpoint) {
        self.free.push(checkpoint.0);
    }

    fn root(&mut self) -> Vec<(ThreadId, Next)> {
        let all = 0..self.threads.len();
        all.map(|t| (ThreadId(t as u16), self.next_of(t))).collect()
    }

    fn step(&mut self, thread: ThreadId, _: Decision) -> &Executed {
        let t = usize::from(thread.0);
        let op = self.threads[t][self.now.done[t] as usize];
        let cell = self.cell(t, op);
        let shown = |state: &State| state.cells.get(cell).map_or(0, |&value| u64::from(value));
        let before = shown(&self.now);
        let now = &mut self.now;
        let mut goes_on = true;
        match op {
            Op::Load(_, ends) => {
                now.register[t] = before as u8;
                if ends && before == 0 {
                    now.done[t] = self.threads[t].len() as u8;
                    goes_on = false;
                }
            }
            Op::StoreNext(_) => now.cells[cell] = now.register[t] + 1,
            Op::Insert(_) if before == 0 => {
                now.cells[cell] = 1;
                now.register[t] = 0;
            }
            Op::Insert(_) => {
                now.register[t] += 1;
                goes_on = false;
            }
            // Afterwards the thread looks again whether it has to wait.
            Op::Produce(_) | Op::Consume => {
                now.woken[t] = !now.woken[t];
                goes_on = false;
            }
            Op::Lock | Op::Unlock | Op::Signal(_) => {}
        }
        now.done[t] += u8::from(goes_on);
        if !now.woken[t] {
            self.settle(t);
        }
        let after = shown(&self.now);
        self.executed = Executed {
            before: [before, 0, 0],
            after: [after, 0, 0],
            next: self.next_of(t),
        };
        &self.executed
    }
}
