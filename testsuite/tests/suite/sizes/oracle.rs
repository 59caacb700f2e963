//! Every interleaving of a program, with every access to each byte.
//!
//! **Source**: C11 5.1.2.4: who acquires from a byte happens after those that released what it holds, and after those
//! that released what read-modify-writes passed on. What a thread does between two events comes right after the first
//! of them: a program without races does the same wherever it comes, and one with a race has one in this way, too.

use super::program::{Op, Order, Part, Program, BYTES};
use std::collections::BTreeSet;

/// At most so many threads.
pub const THREADS: usize = 3;

/// The lines of a race, the smaller one first.
pub type Lines = (u32, u32);
/// What executions end with, in the order of [`super::program::OBSERVED`].
pub type Ends = BTreeSet<Vec<i64>>;

/// What a program may do.
#[derive(Default, Debug)]
pub struct Expected {
    pub races: BTreeSet<Lines>,
    pub ends: Ends,
}

/// How much of each thread somebody knows.
type Clock = [u32; THREADS];

#[derive(Clone, Copy, Debug)]
struct Access {
    thread: usize,
    time: u32,
    line: u32,
    writes: bool,
    is_atomic: bool,
}

#[derive(Clone, Default, Debug)]
struct Byte {
    value: u8,
    /// What who acquires from it learns.
    told: Clock,
    accesses: Vec<Access>,
}

#[derive(Clone, Default, Debug)]
struct Thread {
    at: usize,
    last: u64,
    folded: u64,
    knows: Clock,
    has_begun: bool,
}

#[derive(Clone)]
struct State {
    bytes: [Byte; BYTES],
    threads: Vec<Thread>,
}

fn join(into: &mut Clock, other: Clock) {
    into.iter_mut()
        .zip(other)
        .for_each(|(a, b)| *a = (*a).max(b));
}

/// How an access touches its bytes.
#[derive(Clone, Copy)]
struct Touch {
    writes: bool,
    is_atomic: bool,
    order: Order,
    /// True if the access is one that reads and writes.
    updates: bool,
}

impl State {
    fn value(&self, part: Part) -> u64 {
        let bytes = self.bytes[part.at..part.at + part.width].iter().rev();
        bytes.fold(0, |value, byte| value << 8 | u64::from(byte.value))
    }

    fn put(&mut self, part: Part, value: u64) {
        let bytes = self.bytes[part.at..part.at + part.width].iter_mut();
        for (k, byte) in bytes.enumerate() {
            byte.value = (value >> (8 * k)) as u8;
        }
    }

    /// Orders an access of thread `t`, and notes with which it races.
    fn touch(&mut self, t: usize, part: Part, how: Touch, line: u32, races: &mut BTreeSet<Lines>) {
        let knows = &mut self.threads[t].knows;
        knows[t] += 1;
        let bytes = &mut self.bytes[part.at..part.at + part.width];
        let acquires = matches!(how.order, Order::Acquire | Order::Both);
        let reads = how.updates || !how.writes;
        if how.is_atomic && reads && acquires {
            bytes.iter().for_each(|byte| join(knows, byte.told));
        }
        let tells = match how.order {
            Order::Release | Order::Both if how.is_atomic => *knows,
            _ => Clock::default(),
        };
        for byte in bytes {
            for other in &byte.accesses {
                let conflicts = (other.writes || how.writes) && !(other.is_atomic && how.is_atomic);
                if conflicts && knows[other.thread] < other.time {
                    races.insert((line.min(other.line), line.max(other.line)));
                }
            }
            if how.writes {
                let before = if how.updates {
                    byte.told
                } else {
                    Clock::default()
                };
                byte.told = tells;
                join(&mut byte.told, before);
            }
            byte.accesses.push(Access {
                thread: t,
                time: knows[t],
                line,
                writes: how.writes,
                is_atomic: how.is_atomic,
            });
        }
    }

    fn perform(&mut self, t: usize, op: Op, line: u32, races: &mut BTreeSet<Lines>) {
        let touch = |writes, is_atomic, order, updates| Touch {
            writes,
            is_atomic,
            order,
            updates,
        };
        let plain = |writes| touch(writes, false, Order::Relaxed, false);
        self.threads[t].at += 1;
        match op {
            Op::Load(part, order) => {
                self.touch(t, part, touch(false, true, order, false), line, races);
                self.threads[t].last = self.value(part);
            }
            Op::Store(part, value, order) => {
                self.touch(t, part, touch(true, true, order, false), line, races);
                self.put(part, value);
            }
            Op::Add(part, value, order) => {
                self.touch(t, part, touch(true, true, order, true), line, races);
                let old = self.value(part);
                self.threads[t].last = old;
                self.put(part, old.wrapping_add(value));
            }
            Op::Exchange(part, from, to, order) => {
                let old = self.value(part);
                let succeeds = old == from;
                self.touch(t, part, touch(succeeds, true, order, succeeds), line, races);
                self.threads[t].last = old;
                if succeeds {
                    self.put(part, to);
                }
            }
            Op::Read(part) => {
                self.touch(t, part, plain(false), line, races);
                self.threads[t].last = self.value(part);
            }
            Op::Write(part, value) => {
                self.touch(t, part, plain(true), line, races);
                self.put(part, value);
            }
            Op::Fill(part, value) => {
                self.touch(t, part, plain(true), line, races);
                self.put(part, u64::from_le_bytes([value; 8]));
            }
            Op::EndsIfZero => {
                if self.threads[t].last == 0 {
                    self.threads[t].at = usize::MAX;
                }
                return;
            }
        }
        let thread = &mut self.threads[t];
        thread.folded = thread
            .folded
            .wrapping_mul(1_000_003)
            .wrapping_add(thread.last)
            & 0xff_ffff_ffff;
    }
}

/// What the program may do; `lines` are those of its operations.
pub fn run(program: &Program, lines: &[Vec<u32>]) -> Expected {
    let mut expected = Expected::default();
    let mut open = vec![State {
        bytes: Default::default(),
        threads: vec![Thread::default(); program.len()],
    }];
    while let Some(state) = open.pop() {
        let mut is_last = true;
        for t in 0..program.len() {
            let Thread { at, has_begun, .. } = state.threads[t];
            if has_begun && at >= program[t].len() {
                continue;
            }
            is_last = false;
            let mut next = state.clone();
            if !has_begun {
                next.threads[t].has_begun = true;
            } else {
                next.perform(t, program[t][at], lines[t][at], &mut expected.races);
            }
            while let Some(&op) = program[t].get(next.threads[t].at) {
                if op.is_event() {
                    break;
                }
                let line = lines[t][next.threads[t].at];
                next.perform(t, op, line, &mut expected.races);
            }
            open.push(next);
        }
        if is_last {
            let folded = (0..THREADS).map(|t| {
                state
                    .threads
                    .get(t)
                    .map_or(0, |thread| thread.folded as i64)
            });
            let memory = [0, 8].map(|at| state.value(Part { at, width: 8 }) as i64);
            expected.ends.insert(folded.chain(memory).collect());
        }
    }
    expected
}
