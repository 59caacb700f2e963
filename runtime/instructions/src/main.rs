//! Searches whose instructions are counted: `cargo xtask instructions` runs each under callgrind.
//!
//! `cargo run --release -p dpor-instructions NAME`, with NAME one of `lock`, `atomics`, `prefix`,
//! `observers`, `lastzero`; `worker-` before it: as one of several workers that has everything; `two-`: by two
//! workers that take turns.
//! The programs do nothing but keep a few numbers, so that what is counted is the search.

use dpor_explorer::worker::{Message, Worker, WorkerId};
use dpor_explorer::{Config, Counters, Explorer, Program};
use dpor_model::*;

/// At most.
const THREADS: usize = 64;

/// Threads without branches, whose stores write what they loaded last plus one.
struct Straight {
    threads: Vec<Vec<Operation>>,
    now: Machine,
    root: Machine,
    saved: Vec<Machine>,
    executed: Executed,
}

#[derive(Clone)]
struct Machine {
    done: [u32; THREADS],
    loaded: [u64; THREADS],
    cells: [u64; 8],
}

impl Straight {
    fn new(threads: Vec<Vec<Operation>>) -> Self {
        let root = Machine {
            done: [0; THREADS],
            loaded: [0; THREADS],
            cells: [0; 8],
        };
        Straight {
            threads,
            now: root.clone(),
            root,
            saved: Vec::new(),
            executed: Executed::nothing(),
        }
    }

    fn next_of(&self, thread: usize) -> Next {
        match self.threads[thread].get(self.now.done[thread] as usize) {
            Some(&operation) => Next::Operation(operation),
            None => Next::Finished,
        }
    }
}

impl Program for Straight {
    fn restore(&mut self, checkpoint: Checkpoint) {
        let from = match checkpoint {
            ROOT => &self.root,
            Checkpoint(n) => &self.saved[n as usize - 1],
        };
        self.now.clone_from(from);
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        self.saved.push(self.now.clone());
        Some(Checkpoint(self.saved.len() as u32))
    }

    // Numbers are not used again: there are few.
    fn discard(&mut self, _: Checkpoint) {}

    fn root(&mut self) -> Vec<(ThreadId, Next)> {
        (0..self.threads.len())
            .map(|t| (ThreadId(t as u16), self.next_of(t)))
            .collect()
    }

    fn step(&mut self, thread: ThreadId, _: Decision) -> &Executed {
        let thread = usize::from(thread.0);
        let operation = self.threads[thread][self.now.done[thread] as usize];
        let cell = &mut self.now.cells[(operation.object.0 as usize >> 3) % 8];
        let before = *cell;
        match operation.kind {
            Kind::Load => self.now.loaded[thread] = before,
            Kind::Store => *cell = self.now.loaded[thread] + 1,
            _ => {}
        }
        let after = *cell;
        self.now.done[thread] += 1;
        self.executed = Executed {
            before: [before, 0, 0],
            after: [after, 0, 0],
            next: self.next_of(thread),
        };
        &self.executed
    }
}

fn operation(kind: Kind, object: u64, site: usize) -> Operation {
    Operation {
        object: ObjectId(object),
        bytes: 8,
        ..Operation::new(kind, SiteId(site as u64))
    }
}

/// One mutex, 3 threads of 3 critical sections: 9! / 3!^3 = 1,680 executions.
fn lock() -> Vec<Vec<Operation>> {
    let section = |i| [Kind::MutexLock, Kind::MutexUnlock].map(|kind| operation(kind, 1, i));
    vec![(0..3).flat_map(section).collect(); 3]
}

/// 3 threads, each twice a load and a store of one cell: 7,134 executions.
fn atomics() -> Vec<Vec<Operation>> {
    let pair = |i| [Kind::Load, Kind::Store].map(|kind| operation(kind, 8, i));
    vec![(0..2).flat_map(pair).collect(); 3]
}

/// 5 threads, each with 60 stores to a cell of its own and one to a common one: 5! executions, whose
/// differences come after hundreds of events that are the same in all.
fn prefix() -> Vec<Vec<Operation>> {
    let thread = |t: u64| {
        let own = move |i: usize| operation(Kind::Store, 8 * (t + 2), i);
        let mut all: Vec<Operation> = (0..60).map(own).collect();
        all.push(operation(Kind::Store, 8, 60));
        all
    };
    (0..5).map(thread).collect()
}

/// lastzero(7) of the literature, with branches taken as if the array were 0 at its end: threads each
/// read a cell and write the next, one reads all: 8 threads.
fn lastzero() -> Vec<Vec<Operation>> {
    let access = |kind, i: u64, site| operation(kind, 8 * (i + 1), site);
    let mut all = vec![(0..8).rev().map(|i| access(Kind::Load, i, 0)).collect()];
    for i in 1..8 {
        all.push(vec![
            access(Kind::Load, i - 1, 1),
            access(Kind::Store, i, 2),
        ]);
    }
    all
}

/// Two workers that take turns, and ask the other for work when they have none.
fn two(threads: &[Vec<Operation>], config: &Config) -> Counters {
    let mut programs = [(); 2].map(|()| Straight::new(threads.to_vec()));
    let mut workers = [0, 1].map(|rank| Worker::new(WorkerId(rank), config.clone()));
    let mut sent = [0; 4];
    while !workers[0].is_finished() {
        for at in [0, 1] {
            match workers[at].has_work() {
                true => {
                    let done = workers[at].step(&mut programs[at]);
                    done.expect("deterministic");
                }
                false => workers[1 - at].receive(Message::Steal {
                    thief: WorkerId(at as u32),
                }),
            }
            loop {
                let all = [workers[0].outbox(), workers[1].outbox()].concat();
                if all.is_empty() {
                    break;
                }
                for (to, message) in all {
                    sent[match message {
                        Message::Work(_) => 0,
                        Message::Insert(_) => 1,
                        Message::Forward(_) => 2,
                        _ => 3,
                    }] += 1;
                    workers[to.0 as usize].receive(message);
                }
            }
        }
    }
    let counters = [0, 1].map(|at| workers[at].counters());
    let [work, inserts, forwards, others] = sent;
    println!(
        "{work} gifts, {inserts} up, {forwards} down, {others} other messages, {} and {} nodes",
        counters[0].nodes_max, counters[1].nodes_max
    );
    let mut all = counters[0];
    all += counters[1];
    all
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let (how, name) = name.split_once('-').unwrap_or(("", &name));
    let mut config = Config::default();
    let (threads, executions) = match name {
        "lock" => (lock(), Some(1_680)),
        "atomics" => (atomics(), Some(7_134)),
        "prefix" => (prefix(), Some(120)),
        "observers" => (atomics(), None),
        "lastzero" => (lastzero(), None),
        _ => panic!("no search is called '{name}'"),
    };
    config.reductions.observers = name == "observers";
    let mut program = Straight::new(threads.clone());
    let counters = match how {
        "two" => two(&threads, &config),
        "worker" => {
            let mut worker = Worker::new(WorkerId(0), config);
            while worker.step(&mut program).expect("deterministic").is_some() {}
            worker.counters()
        }
        _ => {
            let mut explorer = Explorer::new(config);
            while explorer
                .next(&mut program)
                .expect("deterministic")
                .is_some()
            {}
            explorer.counters()
        }
    };
    if let Some(executions) = executions {
        assert_eq!(counters.executions(), executions, "{counters:?}");
    }
    println!(
        "{} {} {}",
        counters.executions(),
        counters.events,
        counters.events_replayed
    );
}
