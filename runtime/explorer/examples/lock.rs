//! Speed of the search alone: 4 threads of 3 critical sections, on a program that does nothing.
//!
//! `cargo run --release --example lock [threads] [rounds] [executions]`

use dpor_explorer::Program;
use dpor_explorer::{Config, Explorer};
use dpor_model::*;
use std::time::Instant;

/// At most.
const THREADS: usize = 64;

/// Each thread locks and unlocks mutex 1 `rounds` times.
struct Locks {
    rounds: u32,
    done: [u32; THREADS],
    saved: Vec<[u32; THREADS]>,
    threads: usize,
    executed: Executed,
}

impl Locks {
    fn next_of(&self, thread: usize) -> Next {
        let done = self.done[thread];
        if done == 2 * self.rounds {
            return Next::Finished;
        }
        let kind = if done & 1 == 0 {
            Kind::MutexLock
        } else {
            Kind::MutexUnlock
        };
        Next::Operation(Operation {
            object: ObjectId(1),
            ..Operation::new(kind, SiteId(done.into()))
        })
    }
}

impl Program for Locks {
    fn restore(&mut self, checkpoint: Checkpoint) {
        self.done = self.saved[checkpoint.0 as usize];
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        None
    }

    fn discard(&mut self, _: Checkpoint) {}

    fn root(&mut self) -> Vec<(ThreadId, Next)> {
        (0..self.threads)
            .map(|t| (ThreadId(t as u16), self.next_of(t)))
            .collect()
    }

    fn step(&mut self, thread: ThreadId, _: Decision) -> &Executed {
        let thread = usize::from(thread.0);
        self.done[thread] += 1;
        self.executed.next = self.next_of(thread);
        &self.executed
    }
}

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|a| a.parse().expect("a number"));
    let threads = arguments.next().unwrap_or(4);
    let rounds = arguments.next().unwrap_or(3) as u32;
    let most = arguments.next().unwrap_or(usize::MAX) as u64;
    let done = [0; THREADS];
    let mut program = Locks {
        rounds,
        done,
        saved: vec![done],
        threads,
        executed: Executed::nothing(),
    };
    let mut explorer = Explorer::new(Config::default());
    let begin = Instant::now();
    while explorer
        .next(&mut program)
        .expect("deterministic")
        .is_some()
    {
        if explorer.counters().executions() == most {
            break;
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    let c = explorer.counters();
    println!("{c:?}");
    println!(
        "{} executions in {seconds:.2} s: {:.0} per second; {:.0} ns per new event",
        c.executions(),
        c.executions() as f64 / seconds,
        seconds * 1e9 / c.events as f64
    );
}
