//! Random programs of overlapping accesses, and their text in C.

use super::oracle::THREADS;
use dpor_testsuite::random::Random;
use std::fmt::Write;

/// Memory that the threads share, in bytes: two groups of eight.
pub const BYTES: usize = 16;

/// A memory order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    Both,
}

/// The bytes of an access: the first, and how many.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub at: usize,
    pub width: usize,
}

/// What a thread does. What was read last is its number.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Load(Part, Order),
    Store(Part, u64, Order),
    Add(Part, u64, Order),
    /// From, to.
    Exchange(Part, u64, u64, Order),
    /// Plain, as those below.
    Read(Part),
    Write(Part, u64),
    /// All bytes of any number of them.
    Fill(Part, u8),
    /// Ends the thread if its number is 0.
    EndsIfZero,
}

impl Op {
    /// True if other threads may come between it and what is before it.
    pub fn is_event(self) -> bool {
        matches!(
            self,
            Op::Load(..) | Op::Store(..) | Op::Add(..) | Op::Exchange(..)
        )
    }
}

pub type Program = Vec<Vec<Op>>;

/// What the programs observe: the numbers of their threads, folded, and memory.
pub const OBSERVED: [&str; 5] = ["h0", "h1", "h2", "m0", "m1"];

fn pick<T: Copy>(r: &mut Random, from: &[T]) -> T {
    from[r.below(from.len() as u64) as usize]
}

/// A part that is aligned, in the first group or, one of four, anywhere.
fn atomic(r: &mut Random) -> Part {
    let width = pick(r, &[1, 2, 4, 4, 8]);
    let bytes = if r.below(4) == 0 { BYTES } else { 8 };
    let at = r.below((bytes / width) as u64) as usize * width;
    Part { at, width }
}

/// A part of any alignment among the bytes from `from` on.
fn plain(r: &mut Random, from: usize) -> Part {
    let width = pick(r, &[1, 2, 4, 8]);
    let at = from + r.below((BYTES - from - width + 1) as u64) as usize;
    Part { at, width }
}

fn value(r: &mut Random) -> u64 {
    pick(r, &[1, 2, 0x0100, 0x01_0000_0001, 0x0302])
}

fn piece(r: &mut Random, from: usize, ops: &mut Vec<Op>) {
    use Order::*;
    let part = atomic(r);
    let writes = pick(r, &[Relaxed, Release, Release]);
    let both = pick(r, &[Relaxed, Acquire, Release, Both]);
    // Fewer plain accesses that nothing orders where most programs are to be without a race.
    let kind = match r.below(12) {
        kind @ (4 | 5) if from > 0 => kind - 2 * r.below(2),
        kind => kind,
    };
    match kind {
        0 => ops.push(Op::Load(part, pick(r, &[Relaxed, Acquire]))),
        1 => ops.push(Op::Store(part, value(r), writes)),
        2 => ops.push(Op::Add(part, value(r), both)),
        3 => ops.push(Op::Exchange(
            part,
            r.below(2),
            value(r),
            pick(r, &[Relaxed, Acquire, Both]),
        )),
        4 => ops.push(Op::Read(plain(r, from))),
        5 => ops.push(Op::Write(plain(r, from), value(r))),
        6..9 => {
            let part_written = plain(r, from);
            ops.push(match r.below(4) {
                0 => Op::Fill(
                    Part {
                        width: 1 + r.below(part_written.width as u64) as usize,
                        ..part_written
                    },
                    7,
                ),
                _ => Op::Write(part_written, value(r)),
            });
            ops.push(match r.below(3) {
                0 => Op::Add(part, value(r), both),
                _ => Op::Store(part, value(r), writes),
            });
        }
        _ => {
            let acquires = pick(r, &[Acquire, Acquire, Relaxed]);
            ops.extend([Op::Load(part, acquires), Op::EndsIfZero]);
            ops.push(match r.below(3) {
                0 => Op::Write(plain(r, from), value(r)),
                _ => Op::Read(plain(r, from)),
            });
        }
    }
}

/// In how many orders the events of the threads may come.
fn interleavings(program: &Program) -> u64 {
    let mut all: u64 = 1;
    let mut so_far = 0;
    for ops in program {
        let events = ops.iter().filter(|op| op.is_event()).count() as u64 + 1;
        for k in 1..=events {
            so_far += 1;
            all = all * so_far / k;
        }
    }
    all
}

/// The program of a seed; `None` if it has too many interleavings.
pub fn small(seed: u64) -> Option<Program> {
    const INTERLEAVINGS_MAX: u64 = 3_000;
    let r = &mut Random(seed);
    let threads = 2 + r.below(2) as usize;
    // In half of them plain accesses and atomic ones are mostly to other bytes.
    let from = pick(r, &[0, 8]);
    let thread = |r: &mut Random| {
        let mut ops = Vec::new();
        for _ in 0..1 + r.below(3) {
            piece(r, from, &mut ops);
        }
        ops
    };
    let program: Program = (0..threads).map(|_| thread(r)).collect();
    (interleavings(&program) <= INTERLEAVINGS_MAX).then_some(program)
}

/// Programs in C, and of each the line of each operation of each thread.
pub struct Text {
    pub whole: String,
    pub lines: Vec<Vec<Vec<u32>>>,
}

const PRELUDE: &str = "#include <dpor.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static union { uint8_t bytes[16]; int64_t halves[2]; } u __attribute__((aligned(16)));
typedef uint8_t __attribute__((aligned(1), may_alias)) plain1;
typedef uint16_t __attribute__((aligned(1), may_alias)) plain2;
typedef uint32_t __attribute__((aligned(1), may_alias)) plain4;
typedef uint64_t __attribute__((aligned(1), may_alias)) plain8;
static long h[3];
static long fold(long h, uint64_t value) { return (long)(((uint64_t)h * 1000003 + value) & 0xffffffffff); }
";

fn order(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "__ATOMIC_RELAXED",
        Order::Acquire => "__ATOMIC_ACQUIRE",
        Order::Release => "__ATOMIC_RELEASE",
        Order::Both => "__ATOMIC_ACQ_REL",
    }
}

fn line(op: Op) -> String {
    let shared = |Part { at, width }| format!("(uint{}_t *)(u.bytes + {at})", 8 * width);
    let plainly = |Part { at, width }| format!("*(plain{width} *)(u.bytes + {at})");
    let constant = |value: u64, width: usize| value & u64::MAX >> (64 - 8 * width);
    match op {
        Op::Load(part, how) => format!("last = __atomic_load_n({}, {});", shared(part), order(how)),
        Op::Store(part, value, how) => {
            let value = constant(value, part.width);
            format!(
                "__atomic_store_n({}, {value}, {});",
                shared(part),
                order(how)
            )
        }
        Op::Add(part, value, how) => {
            let value = constant(value, part.width);
            format!(
                "last = __atomic_fetch_add({}, {value}, {});",
                shared(part),
                order(how)
            )
        }
        Op::Exchange(part, from, to, how) => {
            let fails = match how {
                Order::Relaxed | Order::Release => Order::Relaxed,
                Order::Acquire | Order::Both => Order::Acquire,
            };
            let (to, bits) = (constant(to, part.width), 8 * part.width);
            format!(
                "{{ uint{bits}_t found = {from}; __atomic_compare_exchange_n({}, &found, {to}, 0, {}, {}); last = found; }}",
                shared(part),
                order(how),
                order(fails)
            )
        }
        Op::Read(part) => format!("last = {};", plainly(part)),
        Op::Write(part, value) => format!("{} = {};", plainly(part), constant(value, part.width)),
        Op::Fill(Part { at, width }, value) => format!("memset(u.bytes + {at}, {value}, {width});"),
        Op::EndsIfZero => "if (!last) goto end;".to_owned(),
    }
}

/// All programs in one text; the first argument says which one runs.
pub fn text<'a>(programs: impl Iterator<Item = &'a Program>) -> Text {
    let mut whole = PRELUDE.to_owned();
    let mut at = whole.lines().count() as u32;
    let mut lines = Vec::new();
    let mut cases = String::new();
    for (number, program) in programs.enumerate() {
        let mut of_threads = Vec::new();
        for (thread, ops) in program.iter().enumerate() {
            let _ = writeln!(whole, "static void *t{number}_{thread}(void *unused) {{\n    uint64_t last = 0; long mine = 0;");
            at += 2;
            let mut of_ops = Vec::new();
            for &op in ops {
                let folds = if matches!(op, Op::EndsIfZero) {
                    ""
                } else {
                    " mine = fold(mine, last);"
                };
                let _ = writeln!(whole, "    {}{folds}", line(op));
                at += 1;
                of_ops.push(at);
            }
            let _ = writeln!(
                whole,
                "    goto end;\nend:\n    h[{thread}] = mine;\n    return unused;\n}}"
            );
            at += 5;
            of_threads.push(of_ops);
        }
        let threads = program.len();
        assert!(threads <= THREADS);
        let _ = writeln!(
            cases,
            "    case {number}: {{ static void *(*const all[])(void *) = {{ {} }}; run({threads}, all); break; }}",
            (0..threads).map(|t| format!("t{number}_{t}")).collect::<Vec<_>>().join(", ")
        );
        lines.push(of_threads);
    }
    whole.push_str(
        "static void run(int threads, void *(*const *all)(void *)) {
    pthread_t t[3];
    for (int k = 0; k < threads; k++) pthread_create(&t[k], 0, all[k], 0);
    for (int k = 0; k < threads; k++) pthread_join(t[k], 0);
}
",
    );
    let _ = writeln!(whole, "int main(int count, char **arguments) {{\n    (void)count;\n    switch (atoi(arguments[1])) {{\n{cases}    }}");
    whole.push_str(
        "    dpor_observe(\"h0\", h[0]);
    dpor_observe(\"h1\", h[1]);
    dpor_observe(\"h2\", h[2]);
    dpor_observe(\"m0\", u.halves[0]);
    dpor_observe(\"m1\", u.halves[1]);
    return 0;
}
",
    );
    Text { whole, lines }
}
