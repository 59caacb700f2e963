//! Random programs, and the reduction of a failing one to a small one.

pub mod references;

use crate::interpreter::{Op, Threads, BACKWARDS, GAVE_UP, LEAVE, TIMED_BITS, WHOLE};
use dpor_model::{update, Counter, Test};

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What a program is mostly about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    Memory,
    Mutex,
    Condvar,
    Rwlock,
    Choose,
    Threads,
    Shared,
    Exit,
    Misuse,
    Mix,
    Update,
    Semaphore,
    Barrier,
    /// Several waiters of two condition variables.
    Waiters,
    /// Read-write locks tried, taken twice, never given back, destroyed.
    Readers,
    /// Waits with a time limit, and waits that end by themselves.
    Timed,
    /// Waits with a time limit that may end while others can go on, so often in an execution.
    Early,
    /// Mutexes whose owners end.
    Robust,
    /// Read-write locks that prefer writers.
    Writers,
    /// Futexes: waits on a value, wake-ups of some waiters, waiters moved from one to the other.
    Futex,
    /// Every kind of object in one program.
    All,
    /// Pipes.
    Channel,
    /// Waits for a value of a cell.
    Await,
    /// Several mutexes locked at once.
    Several,
    /// Waits that a thread gives up and stays among those that wait.
    Stays,
    /// Loops that look at several cells.
    Places,
    /// Read-modify-writes of which only the answer of a comparison is seen. Not among [`FLAVOURS`]: which of them commute
    /// is no relation of two steps in one state, as the oracle's check of its own table has it.
    Counters,
    /// Counts of references that are taken, given to threads, and dropped ([`references`]); as `Counters`.
    References,
}

pub const FLAVOURS: [Flavour; 26] = [
    Flavour::Memory,
    Flavour::Mutex,
    Flavour::Condvar,
    Flavour::Rwlock,
    Flavour::Choose,
    Flavour::Threads,
    Flavour::Shared,
    Flavour::Exit,
    Flavour::Misuse,
    Flavour::Mix,
    Flavour::Update,
    Flavour::Semaphore,
    Flavour::Barrier,
    Flavour::Waiters,
    Flavour::Readers,
    Flavour::Timed,
    Flavour::Robust,
    Flavour::Writers,
    Flavour::Futex,
    Flavour::All,
    Flavour::Channel,
    Flavour::Await,
    Flavour::Several,
    Flavour::Stays,
    Flavour::Places,
    Flavour::Early,
];

fn access(r: &mut Random) -> Vec<Op> {
    let x = r.below(2);
    vec![match r.below(3) {
        0 => Op::Load(x, 0),
        1 => Op::Store(x, 1 + r.below(2) as u64),
        _ => Op::StoreSum(x, 0, 1),
    }]
}

fn surround(first: Op, inside: Vec<Op>, last: Option<Op>) -> Vec<Op> {
    let mut ops = vec![first];
    ops.extend(inside);
    ops.extend(last);
    ops
}

/// A few operations of a flavour.
#[allow(clippy::too_many_lines, reason = "a case for each operation")]
pub fn piece(r: &mut Random, flavour: Flavour, threads: usize) -> Vec<Op> {
    let (x, c) = (r.below(2), r.below(100));
    match flavour {
        Flavour::Memory => match r.below(5) {
            0..=2 => access(r),
            3 => vec![match r.below(6) {
                0 => Op::StoreWide(0, 1 + r.below(2) as u64),
                1 => Op::CasWide(0, r.below(2) as u64, 2, 0),
                2 => Op::Fill(0, r.below(2) as u64),
                _ => Op::FetchAdd(x, 1, 0),
            }],
            _ => vec![Op::Cas(x, r.below(2) as u64, 2, 0)],
        },
        Flavour::Mutex => mutex(r, c, threads),
        Flavour::Condvar => condvar(r, c),
        Flavour::Rwlock => rwlock(r, c, threads),
        Flavour::Choose => match c {
            0..35 => vec![Op::Choose(r.pick(&[2, 2, 3]), 0)],
            35..80 => access(r),
            _ => surround(Op::Lock(0), access(r), Some(Op::Unlock(0))),
        },
        Flavour::Threads => match c {
            0..15 => vec![Op::Join(r.below(threads))],
            15..45 => {
                let unlock = r.percent(85).then_some(Op::Unlock(0));
                surround(Op::Lock(0), if c < 30 { access(r) } else { vec![] }, unlock)
            }
            _ => access(r),
        },
        Flavour::Shared => match c {
            0..25 => vec![Op::SharedRead(r.below(2))],
            25..50 => vec![Op::SharedWrite(r.below(2))],
            50..60 => vec![Op::Opaque],
            60..62 => vec![Op::Pause],
            62..75 => surround(Op::Lock(0), access(r), Some(Op::Unlock(0))),
            75..80 => vec![Op::Choose(2, 0)],
            _ => access(r),
        },
        Flavour::Exit => match c {
            0..12 => vec![
                Op::Load(x, 0),
                Op::SkipUnless(0, r.below(2) as u64, 1),
                Op::Exit,
            ],
            12..17 => vec![Op::Exit],
            17..40 => surround(
                Op::Lock(0),
                access(r),
                r.percent(85).then_some(Op::Unlock(0)),
            ),
            40..48 => vec![Op::Cas(x, r.below(2) as u64, 2, 0)],
            48..53 => vec![Op::Choose(2, 0)],
            53..63 => condvar(r, c),
            _ => access(r),
        },
        Flavour::Misuse => match c {
            0..8 => vec![Op::Unlock(0)],
            8..14 => vec![Op::Wait(0, r.below(2))],
            14..40 => surround(Op::Lock(0), access(r), Some(Op::Unlock(0))),
            40..48 => surround(Op::Lock(1), vec![Op::Wait(0, 1)], Some(Op::Unlock(1))),
            48..56 => surround(Op::Lock(0), vec![Op::Wait(0, 0)], Some(Op::Unlock(0))),
            56..62 => vec![Op::Signal(0)],
            62..64 => vec![Op::SignalTo(0, r.below(3))],
            64..67 => vec![r.pick(&[Op::MutexDestroy(0), Op::CondDestroy(0)])],
            67..72 => vec![
                // What is skipped here is never the destruction alone.
                Op::Load(x, 0),
                Op::MutexDestroy(0),
                Op::MutexInitAs(0, r.below(3) as u64),
            ],
            72..80 => vec![Op::MutexRemade(0), Op::Lock(0), Op::Unlock(0)],
            _ => access(r),
        },
        Flavour::Update => match c {
            0..60 => update(r, x),
            60..75 => vec![Op::Cas(x, r.below(4) as u64, 2, 0)],
            75..80 => surround(Op::RwRead(0), update(r, x), Some(Op::RwUnlock(0))),
            80..83 => vec![Op::FetchAdd(x, 1, 0)],
            _ => access(r),
        },
        Flavour::Mix => {
            let flavour = r.pick(&FLAVOURS[..7]);
            piece(r, flavour, threads)
        }
        Flavour::Semaphore => semaphore(r, c),
        Flavour::Barrier => barrier(r, c, threads),
        Flavour::Waiters => waiters(r, c),
        Flavour::Readers => readers(r, c),
        Flavour::Timed => timed(r, c, threads),
        Flavour::Early => early(r, c, threads),
        Flavour::Robust => robust(r, c),
        Flavour::Writers => writers(r, c),
        Flavour::Futex => futex(r, c),
        Flavour::Channel => channel(r, c, threads),
        Flavour::Await => awaiting(r, c, threads),
        Flavour::Several => several(r, c, threads),
        Flavour::Stays => stays(r, c, threads),
        Flavour::Places => places(r, c, threads),
        Flavour::Counters => counters(r, x, c),
        Flavour::References => references::piece(r, c),
        Flavour::All => {
            let all = [
                Flavour::Memory,
                Flavour::Mutex,
                Flavour::Waiters,
                Flavour::Condvar,
                Flavour::Readers,
                Flavour::Choose,
                Flavour::Threads,
                r.pick(&[Flavour::Timed, Flavour::Robust, Flavour::Writers]),
                Flavour::Semaphore,
                Flavour::Semaphore,
                Flavour::Barrier,
                Flavour::Barrier,
                Flavour::Futex,
                Flavour::Channel,
                Flavour::Await,
                Flavour::Await,
                Flavour::Several,
                Flavour::Places,
                Flavour::Early,
                if c < 25 {
                    Flavour::Exit
                } else {
                    Flavour::Shared
                },
            ];
            let flavour = r.pick(&all);
            piece(r, flavour, threads)
        }
    }
}

/// A read-modify-write without result, most often an addition to the whole cell.
fn update(r: &mut Random, x: usize) -> Vec<Op> {
    let operator = match r.percent(60) {
        true => update::ADD,
        false => r.next() % 9,
    };
    let bytes = match r.percent(70) {
        true => WHOLE,
        false => r.pick(&[(0, 4), (4, 4), (0, 1), (1, 2)]),
    };
    // Negative numbers too, and those with high bytes.
    let operand = r.pick(&[1, 1, 2, 3, u64::MAX, 1 << 33, 0x180]);
    match r.below(6) {
        0 => vec![Op::UpdateSum(x, operator, 0, operand)],
        _ => vec![Op::Update(x, operator, bytes, operand)],
    }
}

/// Counts that are dropped, mostly the same ones, and what else may come to their cells.
fn counters(r: &mut Random, x: usize, c: usize) -> Vec<Op> {
    let x = r.pick(&[0, 0, 0, x]);
    let last = Counter {
        operator: update::ADD as u8,
        operand: -1,
        test: Test::Equal,
        value: r.pick(&[-1, -1, -2, -2, -3, 1, 1, 2]),
    };
    let counter = match r.below(10) {
        0..8 => last,
        8 if r.percent(50) => Counter {
            operand: r.pick(&[-2, 1, 2, 3]),
            ..last
        },
        8 => Counter {
            test: r.pick(&[Test::NotEqual, Test::Below, Test::SignedBelow, Test::AtMost]),
            ..last
        },
        9 if r.percent(50) => Counter {
            operator: r.pick(&[update::OR, update::XOR, update::AND, update::UMAX]) as u8,
            operand: r.pick(&[1, 2, 3]),
            value: r.pick(&[0, 1, 2]),
            ..last
        },
        _ => Counter {
            operand: 1,
            test: r.pick(&[Test::SignedAbove, Test::AtLeast, Test::SignedAtMost]),
            value: r.pick(&[0, 1, 2]),
            ..last
        },
    };
    let bytes = match r.percent(92) {
        true => WHOLE,
        false => r.pick(&[(0, 4), (4, 4), (0, 1)]),
    };
    match c {
        0..74 => {
            let mut ops = vec![Op::Count(x, counter, bytes, 1)];
            match r.below(6) {
                // Who was told the one or the other goes on differently.
                0 => ops.extend([Op::SkipUnless(1, 1, 1), Op::Store(1 - x, 1)]),
                1 => ops.extend([Op::SkipUnless(1, 0, 1), Op::Count(x, last, WHOLE, 2)]),
                2 => ops.extend([Op::SkipUnless(1, 1, 1), Op::Load(1 - x, 2)]),
                _ => {}
            }
            ops
        }
        74..78 => vec![Op::Update(x, update::ADD, WHOLE, r.pick(&[1, 1, u64::MAX]))],
        78..80 => vec![Op::Load(x, 2)],
        80..82 => vec![Op::Store(x, r.pick(&[0, 1, 2, 3]))],
        82..84 => vec![Op::Cas(x, r.pick(&[0, 1, u64::MAX]), 2, 2)],
        84 => vec![Op::FetchAdd(x, 1, 2)],
        85..89 => {
            let value = r.pick(&[0, 1, u64::MAX, u64::MAX - 1]);
            vec![Op::Await(x, WHOLE, Test::Equal, (3, value), 2)]
        }
        89..91 => surround(
            Op::Lock(0),
            vec![Op::Count(x, counter, bytes, 1)],
            Some(Op::Unlock(0)),
        ),
        91..93 => vec![Op::Choose(2, 2)],
        93 => vec![Op::Exit],
        94..96 => vec![Op::Opaque],
        _ => access(r),
    }
}

fn mutex(r: &mut Random, c: usize, threads: usize) -> Vec<Op> {
    let m = r.pick(&[0, 0, 1, 10, 20]);
    match c {
        0..50 => {
            let inside = if r.percent(40) {
                piece(r, Flavour::Mutex, threads)
            } else {
                vec![]
            };
            surround(Op::Lock(m), inside, r.percent(90).then_some(Op::Unlock(m)))
        }
        50..72 => vec![
            Op::Trylock(m, 1),
            Op::SkipUnless(1, 1, 2),
            Op::Store(0, 1),
            Op::Unlock(m),
        ],
        72..76 => vec![Op::Unlock(r.pick(&[10, 20]))],
        _ => access(r),
    }
}

/// Mutexes 0 to 2, or to 5, and 10, which counts; locked one by one and together, tried, not always given back.
fn several(r: &mut Random, c: usize, threads: usize) -> Vec<Op> {
    let mut rest = vec![0, 1, 2, 10];
    if r.percent(30) {
        rest.extend(3..6);
    }
    let count = r.pick(&[2, 2, 2, 2, 2, 2, 3, 3, 4, 5, 7]).min(rest.len());
    let mut take = |_| rest.swap_remove(r.below(rest.len()));
    let mut locks: Vec<usize> = (0..count).map(&mut take).collect();
    let a = locks[0];
    let backwards = r.percent(40);
    let mask = locks.iter().fold(0, |mask, m| mask | 1 << m);
    let mask = mask | if backwards { BACKWARDS } else { 0 };
    let inside = |r: &mut Random| match r.below(9) {
        0 | 1 => access(r),
        2 => piece(r, Flavour::Several, threads),
        3 => vec![Op::Lock(10), Op::Unlock(10)],
        4 => vec![Op::Wait(0, a)],
        5 => vec![Op::Opaque],
        _ => vec![],
    };
    match c {
        0..45 => {
            let mut ops = surround(Op::LockAll(mask), inside(r), None);
            while !locks.is_empty() {
                let unlock = Op::Unlock(locks.swap_remove(r.below(locks.len())));
                ops.extend(r.percent(90).then_some(unlock));
                if r.percent(8) {
                    ops.extend(access(r));
                }
            }
            ops
        }
        45..75 => surround(
            Op::Lock(a),
            inside(r),
            r.percent(85).then_some(Op::Unlock(a)),
        ),
        75..82 => vec![
            Op::Trylock(a, 1),
            Op::SkipUnless(1, 1, 1),
            r.pick(&[Op::Unlock(a), Op::Store(0, 1)]),
        ],
        82..85 => vec![r.pick(&[Op::Signal(0), Op::Broadcast(0)])],
        85..88 => vec![Op::TimedLock(a, 1), Op::SkipUnless(1, 1, 1), Op::Unlock(a)],
        88..89 => vec![Op::MutexDestroy(a)],
        89..91 => vec![Op::Opaque],
        _ => access(r),
    }
}

fn condvar(r: &mut Random, c: usize) -> Vec<Op> {
    let v = r.pick(&[0, 0, 0, 1]);
    let some = |r: &mut Random| if r.percent(20) { access(r) } else { vec![] };
    match c {
        0..32 => {
            let m = r.pick(&[0, 0, 0, 10]);
            let mut inside = some(r);
            inside.push(Op::Wait(v + m, m));
            inside.extend(some(r));
            surround(Op::Lock(m), inside, r.percent(85).then_some(Op::Unlock(m)))
        }
        32..42 => {
            let inside = vec![Op::Load(0, 0), Op::SkipUnless(0, 0, 1), Op::Wait(v, 0)];
            surround(Op::Lock(0), inside, Some(Op::Unlock(0)))
        }
        42..62 => vec![Op::Signal(r.pick(&[v, v, v + 10]))],
        62..72 => vec![Op::Broadcast(r.pick(&[v, v, v + 10]))],
        72..84 => {
            let inside = r.pick(&[Op::Store(0, 1), Op::Signal(v), Op::Broadcast(v)]);
            surround(Op::Lock(0), vec![inside], Some(Op::Unlock(0)))
        }
        84..88 => vec![Op::SignalTo(v, r.below(3))],
        88..90 => vec![Op::Trylock(0, 1), Op::SkipUnless(1, 1, 1), Op::Unlock(0)],
        _ => access(r),
    }
}

fn rwlock(r: &mut Random, c: usize, threads: usize) -> Vec<Op> {
    let o = r.pick(&[0, 0, 0, 1]);
    let try_it = |op| {
        vec![
            op,
            Op::SkipUnless(1, 1, 2),
            Op::Store(0, 1),
            Op::RwUnlock(o),
        ]
    };
    match c {
        0..38 => {
            let inside = if r.percent(35) {
                piece(r, Flavour::Rwlock, threads)
            } else {
                vec![]
            };
            surround(
                Op::RwRead(o),
                inside,
                r.percent(85).then_some(Op::RwUnlock(o)),
            )
        }
        38..64 => {
            let inside = if r.percent(30) { access(r) } else { vec![] };
            surround(
                Op::RwWrite(o),
                inside,
                r.percent(88).then_some(Op::RwUnlock(o)),
            )
        }
        64..70 => try_it(Op::RwTryread(o, 1)),
        70..76 => try_it(Op::RwTrywrite(o, 1)),
        _ => access(r),
    }
}

fn semaphore(r: &mut Random, c: usize) -> Vec<Op> {
    // Counts 0, 1 and 2 at the root.
    let s = r.pick(&[0, 0, 0, 1, 10, 10, 20]);
    match c {
        0..30 => vec![Op::SemPost(s)],
        30..52 => vec![Op::SemWait(s)],
        52..62 => vec![
            Op::SemTrywait(s, 1),
            Op::SkipUnless(1, 1, 1),
            Op::Store(0, 1),
        ],
        62..68 => vec![
            Op::SemGetvalue(s, 1),
            Op::SkipUnless(1, r.below(3) as u64, 1),
            Op::Store(0, 2),
        ],
        68..71 => vec![Op::SemInit(s, r.below(2) as u64)],
        71..72 => vec![Op::SemDestroy(s)],
        72..85 => {
            let inside = access(r);
            surround(
                Op::SemWait(10),
                inside,
                r.percent(85).then_some(Op::SemPost(10)),
            )
        }
        _ => access(r),
    }
}

fn barrier(r: &mut Random, c: usize, threads: usize) -> Vec<Op> {
    let width = if r.percent(60) {
        threads.min(4)
    } else {
        r.pick(&[1, 2, 2, 2, 3])
    };
    // From 100 on the serial thread is a choice.
    let b = 10 * width + r.pick(&[0, 0, 0, 1, 100]);
    match c {
        0..50 => vec![Op::Barrier(b, 1)],
        50..62 => vec![Op::Barrier(b, 1), Op::SkipUnless(1, 1, 1), Op::Store(0, 1)],
        62..65 => vec![Op::BarrierDestroy(b)],
        65..67 => vec![Op::BarrierInit(b, width as u64)],
        67..75 => surround(
            Op::Lock(0),
            access(r),
            r.percent(90).then_some(Op::Unlock(0)),
        ),
        _ => access(r),
    }
}

/// Waits that try first, and then give up early or wait, with what ends them.
fn early(r: &mut Random, c: usize, threads: usize) -> Vec<Op> {
    let most = r.pick(&[1, 1, 1, 2]);
    let m = r.pick(&[0, 0, 1]);
    let whether = Op::Early(most, 2);
    match c {
        0..16 => vec![
            Op::SemTrywait(0, 1),
            Op::SkipUnless(1, 0, 3),
            whether,
            Op::SkipUnless(2, 0, 1),
            Op::TimedSemWait(0, 1),
            Op::SkipUnless(1, 1, 1),
            Op::Store(0, 1),
        ],
        16..30 => vec![
            Op::Trylock(m, 1),
            Op::SkipUnless(1, 0, 3),
            whether,
            Op::SkipUnless(2, 0, 1),
            Op::TimedLock(m, 1),
            Op::SkipUnless(1, 1, 1),
            if r.percent(80) {
                Op::Unlock(m)
            } else {
                Op::Store(0, 1)
            },
        ],
        30..46 => {
            let wait = vec![
                whether,
                Op::SkipUnless(2, 1, 1),
                Op::WaitOrLeave(0, 0, LEAVE, 1),
                Op::SkipUnless(2, 0, 1),
                Op::TimedWait(0, 0, 1),
                Op::SkipUnless(1, 1, 1),
                Op::Store(1, 1),
            ];
            surround(Op::Lock(0), wait, r.percent(85).then_some(Op::Unlock(0)))
        }
        46..54 => vec![
            // What may be skipped is never the announcement alone.
            Op::Load(0, 0),
            Op::RwAnnounce(0),
            whether,
            Op::SkipUnless(2, 1, 1),
            Op::RwRetract(0),
            Op::SkipUnless(2, 0, 3),
            Op::TimedRwWriteAnnounced(0, 1),
            Op::SkipUnless(1, 1, 1),
            Op::RwUnlock(0),
        ],
        54..60 => surround(
            r.pick(&[Op::RwRead(0), Op::RwTryread(0, 1)]),
            access(r),
            r.percent(40).then_some(Op::RwUnlock(0)),
        ),
        60..66 => vec![
            whether,
            Op::SkipUnless(2, 0, 1),
            Op::FutexWait(0, 0, !0, 1),
            Op::Load(0, 1),
        ],
        66..72 => vec![Op::SemPost(0)],
        72..78 => vec![r.pick(&[Op::Signal(0), Op::Broadcast(0)])],
        78..81 => vec![Op::Store(0, 1), Op::FutexWake(0, 1, u32::MAX, 0)],
        81..86 => surround(
            Op::Lock(m),
            access(r),
            r.percent(80).then_some(Op::Unlock(m)),
        ),
        86..90 => timed(r, 10 * (c - 86), threads),
        _ => access(r),
    }
}

fn timed(r: &mut Random, c: usize, threads: usize) -> Vec<Op> {
    let m = r.pick(&[0, 0, 1]);
    let inside = |r: &mut Random| match r.below(6) {
        0 => vec![
            Op::TimedLock(1 - m, 2),
            Op::SkipUnless(2, 1, 1),
            Op::Unlock(1 - m),
        ],
        1 => vec![Op::TimedSemWait(0, 2)],
        2 => access(r),
        _ => vec![],
    };
    match c {
        0..14 => {
            let mut ops = vec![Op::TimedLock(m, 1), Op::SkipUnless(1, 1, 1)];
            ops.push(if r.percent(80) {
                Op::Unlock(m)
            } else {
                Op::Store(0, 1)
            });
            ops
        }
        14..26 => {
            let unlock = r.percent(70).then_some(Op::Unlock(m));
            surround(Op::Lock(m), inside(r), unlock)
        }
        26..40 => vec![
            Op::TimedSemWait(0, 1),
            Op::SkipUnless(1, 1, 1),
            Op::Store(0, 1),
        ],
        40..46 => vec![Op::SemPost(0)],
        46..58 => {
            let wait = vec![
                Op::TimedWait(0, 0, 1),
                Op::SkipUnless(1, 1, 1),
                Op::Store(1, 1),
            ];
            surround(Op::Lock(0), wait, r.percent(85).then_some(Op::Unlock(0)))
        }
        58..64 => surround(Op::Lock(0), vec![Op::Wait(0, 0)], Some(Op::Unlock(0))),
        64..72 => {
            let ways = r.pick(&[1, 1, 2]);
            let wait = vec![
                Op::WaitOrLeave(0, 0, ways, 1),
                Op::SkipUnless(1, 0, 1),
                Op::Store(1, 2),
            ];
            surround(Op::Lock(0), wait, r.percent(85).then_some(Op::Unlock(0)))
        }
        72..80 => vec![r.pick(&[Op::Signal(0), Op::Signal(0), Op::Broadcast(0)])],
        80..84 => vec![Op::TimedJoin(r.below(threads), 1)],
        84..88 => surround(Op::TimedRwWrite(0, 1), access(r), Some(Op::RwUnlock(0))),
        88..92 => surround(
            r.pick(&[Op::RwRead(0), Op::TimedRwRead(0, 1)]),
            access(r),
            r.percent(60).then_some(Op::RwUnlock(0)),
        ),
        // Misuses that a wait which ends by itself avoids.
        92..95 => surround(Op::Lock(1), vec![Op::Wait(0, 1)], Some(Op::Unlock(1))),
        95..97 => vec![Op::CondDestroy(0)],
        _ => access(r),
    }
}

fn stays(r: &mut Random, c: usize, threads: usize) -> Vec<Op> {
    let m = r.pick(&[0, 0, 1]);
    // A skip before them jumps over one operation.
    match c {
        0..34 => {
            let mut ops = vec![Op::Load(1, 0), Op::Lock(m), Op::Enqueue(m, m)];
            ops.push(Op::StayReacquire(m, m));
            ops.extend(access(r));
            ops.extend([Op::Reacquire(m, m), Op::Unlock(m)]);
            ops
        }
        34..52 => {
            let mut ops = vec![Op::Load(1, 0), Op::RwAnnounce(0), Op::StayRwWrite(0)];
            ops.extend(access(r));
            ops.extend([Op::RwWriteAnnounced(0), Op::RwUnlock(0)]);
            ops
        }
        52..58 => {
            let mut ops = vec![Op::Load(1, 0), Op::StayBarrier(20)];
            ops.extend(access(r));
            ops.push(Op::LeaveBarrier(20));
            ops
        }
        58..61 => vec![Op::Barrier(20, 3)],
        61..68 => vec![r.pick(&[Op::Signal(m), Op::Signal(m), Op::Broadcast(m)])],
        68..72 => vec![Op::SignalTo(m, r.below(threads))],
        72..80 => surround(
            Op::Lock(m),
            access(r),
            r.percent(85).then_some(Op::Unlock(m)),
        ),
        80..88 => surround(
            Op::RwRead(0),
            access(r),
            r.percent(75).then_some(Op::RwUnlock(0)),
        ),
        88..95 => {
            let c = r.below(46);
            timed(r, c, threads)
        }
        _ => access(r),
    }
}

fn robust(r: &mut Random, c: usize) -> Vec<Op> {
    let m = r.pick(&[0, 0, 0, 10, 20]);
    let told = |r: &mut Random| {
        let result = r.pick(&[0, 130, 130, 131]);
        vec![Op::LockTold(m, 1), Op::SkipUnless(1, result, 1)]
    };
    match c {
        0..30 => {
            let mut ops = told(r);
            ops.push(r.pick(&[Op::Consistent(m, 2), Op::Consistent(m, 2), Op::Store(0, 1)]));
            ops.push(r.pick(&[Op::Unlock(m), Op::Unlock(m), Op::Abandon(m)]));
            ops
        }
        30..45 => surround(Op::Lock(m), access(r), Some(Op::Abandon(m))),
        45..65 => surround(
            Op::Lock(m),
            access(r),
            r.percent(80).then_some(Op::Unlock(m)),
        ),
        65..75 => vec![
            Op::Trylock(m, 1),
            Op::SkipUnless(1, 1, 1),
            r.pick(&[Op::Unlock(m), Op::Abandon(m)]),
        ],
        75..80 => vec![Op::Abandon(m)],
        80..84 => vec![
            Op::Consistent(m, 2),
            Op::SkipUnless(2, 22, 1),
            Op::Store(1, 1),
        ],
        84..88 => surround(Op::Lock(0), vec![Op::Wait(0, 0)], Some(Op::Unlock(0))),
        88..92 => vec![Op::Signal(0)],
        _ => access(r),
    }
}

fn writers(r: &mut Random, c: usize) -> Vec<Op> {
    let o = r.pick(&[0, 0, 0, 1]);
    let unlock = r.percent(75).then_some(Op::RwUnlock(o));
    match c {
        0..30 => {
            // A skip before it jumps over one operation.
            let mut ops = vec![Op::Load(1, 0), Op::RwAnnounce(o)];
            ops.extend(surround(Op::RwWriteAnnounced(o), access(r), unlock));
            ops
        }
        30..42 => vec![
            Op::Load(1, 0),
            Op::RwAnnounce(o),
            Op::TimedRwWriteAnnounced(o, 1),
            Op::SkipUnless(1, 1, 1),
            r.pick(&[Op::RwUnlock(o), Op::Store(0, 1)]),
        ],
        42..62 => surround(Op::RwRead(o), access(r), unlock),
        62..70 => surround(Op::RwRead(o), vec![Op::RwRead(o)], unlock),
        70..78 => vec![
            r.pick(&[
                Op::RwTryread(o, 1),
                Op::TimedRwRead(o, 1),
                Op::RwTrywrite(o, 1),
            ]),
            Op::SkipUnless(1, 1, 1),
            r.pick(&[Op::RwUnlock(o), Op::Store(0, 1)]),
        ],
        78..80 => vec![r.pick(&[Op::RwInit(o), Op::RwDestroy(o)])],
        _ => access(r),
    }
}

fn channel(r: &mut Random, c: usize, threads: usize) -> Vec<Op> {
    // Room for one and for two.
    let o = r.pick(&[0, 1, 1]);
    let tell = [Op::SkipUnless(1, 1 + r.below(3) as u64, 1), Op::Store(0, 1)];
    match c {
        0..28 => vec![Op::Put(o, 1 + r.below(o + 1) as u64)],
        28..40 => vec![Op::Take(o, 1 + r.below(2) as u64, 1)],
        40..46 => {
            let take = Op::TimedTake(o, 1 + r.below(2) as u64, 1);
            vec![take, Op::SkipUnless(1, GAVE_UP, 1), Op::Store(0, 2)]
        }
        46..54 => surround(Op::Take(o, 2, 1), vec![], Some(Op::StoreSum(0, 1, 0))),
        54..60 => vec![Op::Ready(o), Op::Look(o, 1), tell[0], tell[1]],
        60..63 => vec![Op::Look(o, 1), tell[0], tell[1]],
        63..66 => vec![
            Op::TimedReady(o, 1),
            Op::SkipUnless(1, 0, 1),
            Op::Store(0, 3),
        ],
        66..74 => vec![Op::Hangup(o, r.below(2))],
        74..78 => vec![Op::Opaque],
        78..88 => {
            let inside = piece(r, Flavour::Channel, threads);
            surround(Op::Lock(0), inside, r.percent(90).then_some(Op::Unlock(0)))
        }
        _ => access(r),
    }
}

/// A wait, in one half of all cases with an access between its halves.
fn wait(r: &mut Random, v: usize, m: usize) -> Vec<Op> {
    match r.percent(50) {
        true => vec![Op::Wait(v, m)],
        false => vec![
            Op::Enqueue(v, m),
            r.pick(&[Op::Load(0, 1), Op::Load(1, 1), Op::SharedRead(0)]),
            Op::Reacquire(v, m),
        ],
    }
}

fn waiters(r: &mut Random, c: usize) -> Vec<Op> {
    // With mutex 0; from 10 on with recursive mutex 10.
    let v = r.pick(&[0, 0, 0, 1, 1, 10]);
    let m = 10 * (v / 10);
    match c {
        0..40 => {
            let unlock = r.percent(80).then_some(Op::Unlock(m));
            surround(Op::Lock(m), wait(r, v, m), unlock)
        }
        40..46 => {
            let twice = vec![Op::Wait(v, m), Op::Wait(v, m)];
            surround(Op::Lock(m), twice, Some(Op::Unlock(m)))
        }
        46..68 => vec![Op::Signal(v)],
        68..78 => vec![Op::Broadcast(v)],
        78..90 => {
            let inside = r.pick(&[Op::Store(0, 1), Op::Signal(v), Op::Broadcast(v)]);
            surround(Op::Lock(m), vec![inside], Some(Op::Unlock(m)))
        }
        90..93 => vec![Op::Trylock(m, 1), Op::SkipUnless(1, 1, 1), Op::Unlock(m)],
        _ => access(r),
    }
}

fn futex(r: &mut Random, c: usize) -> Vec<Op> {
    let x = r.pick(&[0, 0, 0, 1]);
    let value = r.pick(&[0, 0, 0, 1, 2]);
    let all = !TIMED_BITS;
    let bits = r.pick(&[all, all, all, 1, 2, all | TIMED_BITS, 1 | TIMED_BITS]);
    let count = r.pick(&[1, 1, 1, 2, 100]);
    match c {
        0..28 => vec![Op::FutexWait(x, value, bits, 1)],
        28..34 => {
            let used = vec![Op::SkipUnless(1, 1, 1), Op::Store(1 - x, 1)];
            surround(Op::FutexWait(x, value, bits, 1), used, None)
        }
        34..50 => vec![Op::FutexWake(x, count, u32::MAX, 0)],
        50..55 => vec![Op::FutexWake(x, count, r.pick(&[1, 2, 3]), 0)],
        55..60 => {
            let used = vec![Op::SkipUnless(2, 1, 1), Op::Store(1 - x, 2)];
            surround(Op::FutexWake(x, count, u32::MAX, 2), used, None)
        }
        60..68 => vec![Op::Store(x, 1), Op::FutexWake(x, count, u32::MAX, 0)],
        68..78 => {
            let to = r.pick(&[1 - x, 1 - x, 1 - x, x]);
            let counts = r.pick(&[(0, 1), (0, 9), (1, 1), (1, 9), (1, 0), (2, 1)]);
            let expected = r.pick(&[None, Some(value), Some(0)]);
            vec![Op::FutexRequeue(x, counts, to, expected, r.pick(&[0, 2]))]
        }
        78..81 => vec![Op::Cas(x, value.into(), 1, 2)],
        81..90 => {
            let to = r.pick(&[1 - x, 1 - x, 1 - x, x]);
            let counts = r.pick(&[(1, 1), (1, 9), (9, 1), (1, 2), (2, 2), (9, 9)]);
            let how = r.below(6) as u32;
            // Set, add, or; what others wait for, and what they store.
            let change = r.pick(&[0, 0, 1, 1, 2, 3, 4]) << 28 | r.pick(&[0, 1, 1, 2]) << 12;
            let encoded = change | how << 24 | r.pick(&[0, 0, 1, 2]);
            vec![Op::FutexChange(x, counts, to, encoded, r.pick(&[0, 2]))]
        }
        90..92 => vec![r.pick(&[
            Op::FetchAdd(x, 1, 2),
            Op::Update(x, update::ADD, (0, 4), 1),
            Op::Update(x, update::ADD, WHOLE, 1 << 33),
            Op::Update(x, update::ADD, (4, 4), 1),
        ])],
        _ => access(r),
    }
}

/// Waits for a value, most often a small one that others can bring about.
fn awaiting(r: &mut Random, c: usize, threads: usize) -> Vec<Op> {
    let x = r.below(2);
    let value = r.pick(&[0, 1, 1, 2, 2, 3]);
    let test = match r.percent(60) {
        true => Test::Equal,
        false => r.pick(&[
            Test::NotEqual,
            Test::Below,
            Test::AtLeast,
            Test::Above,
            Test::AtMost,
            Test::SignedBelow,
            Test::SignedAtLeast,
            Test::SignedAbove,
            Test::SignedAtMost,
        ]),
    };
    let part = match r.percent(85) {
        true => WHOLE,
        false => r.pick(&[(0, 4), (4, 4), (0, 1), (1, 1)]),
    };
    match c {
        0..26 => vec![Op::Await(x, part, test, (3, value), 0)],
        26..32 => surround(Op::AwaitCas(x, 0, 1), access(r), Some(Op::Store(x, 0))),
        32..36 => vec![Op::AwaitCas(x, value, r.pick(&[0, 1, 2]))],
        36..41 => vec![Op::AwaitAdd(x, test, value, r.pick(&[0, 1, 1, 2]), 0)],
        41..62 => {
            let operand = r.pick(&[1, 1, 1, 2, 3, u64::MAX]);
            let part = if part == WHOLE || r.percent(50) {
                WHOLE
            } else {
                part
            };
            let operator = r.pick(&[
                update::ADD,
                update::ADD,
                update::ADD,
                update::OR,
                update::XOR,
            ]);
            vec![Op::Update(x, operator, part, operand)]
        }
        // A ticket lock.
        62..68 => vec![
            Op::FetchAdd(0, 1, 2),
            Op::Await(1, WHOLE, Test::Equal, (2, 0), 1),
            Op::StoreSum(1, 2, 1),
        ],
        68..78 => vec![Op::Store(x, value)],
        78..85 => {
            let inside = r.pick(&[
                Op::Await(x, WHOLE, test, (3, value), 0),
                Op::Store(x, value),
            ]);
            surround(
                Op::Lock(0),
                vec![inside],
                r.percent(90).then_some(Op::Unlock(0)),
            )
        }
        85..92 => {
            let others = [
                Flavour::Memory,
                Flavour::Condvar,
                Flavour::Timed,
                Flavour::Exit,
                Flavour::Shared,
                Flavour::Semaphore,
                Flavour::Choose,
            ];
            let other = r.pick(&others);
            piece(r, other, threads)
        }
        _ => access(r),
    }
}

/// Loops that look at several cells until they like what they see, and what makes them end.
fn places(r: &mut Random, c: usize, threads: usize) -> Vec<Op> {
    let x = r.below(3);
    let value = r.pick(&[0, 1, 1, 2]);
    match c {
        0..38 => look_again(r, 0),
        38..72 => vec![Op::Store(x, value)],
        72..80 => vec![Op::Update(
            x,
            r.pick(&[update::ADD, update::ADD, update::OR, update::XOR]),
            r.pick(&[WHOLE, WHOLE, (0, 4), (4, 4)]),
            r.pick(&[1, 1, 2, u64::MAX]),
        )],
        80..84 => vec![Op::Cas(x, value, r.pick(&[0, 1, 2]), 0)],
        84..90 => surround(
            Op::Lock(0),
            vec![Op::Store(x, value)],
            r.percent(90).then_some(Op::Unlock(0)),
        ),
        90..96 => {
            let flavour = r.pick(&[
                Flavour::Await,
                Flavour::Memory,
                Flavour::Exit,
                Flavour::Shared,
                Flavour::Timed,
                Flavour::Choose,
            ]);
            piece(r, flavour, threads)
        }
        _ => access(r),
    }
}

/// A loop: what its turns do, and after what they find the loop ends.
pub fn look_again(r: &mut Random, nesting: usize) -> Vec<Op> {
    // Where the loop ends if a register is not this.
    let mut ops = vec![Op::Head];
    let mut exits: Vec<usize> = vec![];
    for _ in 0..r.pick(&[1, 2, 2, 2, 3]) {
        let (x, value) = (r.below(3), r.pick(&[0, 0, 1, 2]));
        let register = r.pick(&[2, 2, 3, 3, 3, 0]);
        match r.below(100) {
            0..8 => ops.push(Op::Store(x, value)),
            8..12 => ops.push(Op::Pause),
            12..17 => ops.push(Op::Update(x, update::OTHER, WHOLE, value)),
            17..24 if nesting == 0 => {
                let inner = look_again(r, 1);
                ops.extend(inner);
            }
            24..28 => ops.push(Op::Await(x, WHOLE, Test::Equal, (1, value), register)),
            kind => {
                ops.push(match kind {
                    28..36 => Op::Cas(x, value, r.pick(&[0, 1, 2]), register),
                    36..40 => Op::FetchAdd(x, 0, register),
                    40..43 => Op::CasWide(0, value, 1, register),
                    _ => Op::Load(x, register),
                });
                if r.percent(85) {
                    exits.push(ops.len());
                    ops.push(Op::SkipUnless(register, value, 0));
                }
            }
        }
    }
    let length = ops.len();
    for at in exits {
        if let Op::SkipUnless(.., count) = &mut ops[at] {
            *count = length - at;
        }
    }
    ops.push(Op::Again(length));
    ops
}

fn readers(r: &mut Random, c: usize) -> Vec<Op> {
    let o = r.pick(&[0, 0, 0, 1]);
    let inside = |r: &mut Random| match r.below(8) {
        0 => access(r),
        1 => vec![Op::RwRead(o)],
        2 => vec![Op::RwRead(o), Op::RwUnlock(o)],
        3 => vec![Op::RwTrywrite(o, 1)],
        4 => vec![Op::RwTryread(1 - o, 1)],
        _ => vec![],
    };
    let unlock = r.percent(65).then_some(Op::RwUnlock(o));
    match c {
        0..35 => surround(Op::RwRead(o), inside(r), unlock),
        35..60 => surround(Op::RwWrite(o), inside(r), unlock),
        60..78 => vec![
            r.pick(&[Op::RwTryread(o, 1), Op::RwTrywrite(o, 1)]),
            Op::SkipUnless(1, 1, 1),
            r.pick(&[Op::Store(0, 1), Op::RwUnlock(o)]),
        ],
        78..80 => vec![r.pick(&[Op::RwInit(o), Op::RwDestroy(o)])],
        _ => access(r),
    }
}

/// A program with two to five threads.
pub fn program(r: &mut Random, flavour: Flavour) -> Threads {
    if flavour == Flavour::References {
        return references::program(r);
    }
    let (threads, pieces) = match flavour {
        // Threads that wait for each other have few traces.
        Flavour::Semaphore
        | Flavour::Barrier
        | Flavour::Futex
        | Flavour::Channel
        | Flavour::Await
        | Flavour::Places => r.pick(&[(2, 7), (3, 4), (3, 5), (4, 3), (4, 4), (5, 2)]),
        _ => r.pick(&[(2, 5), (3, 3), (3, 4), (4, 2), (4, 3), (5, 2)]),
    };
    let mut program: Threads = (0..threads)
        .map(|_| thread(r, flavour, threads, pieces))
        .collect();
    if flavour == Flavour::Barrier && r.percent(80) {
        only_barrier(&mut program, r.pick(&[20, 20, 30, 40, 120, 130]));
    }
    if flavour == Flavour::Counters && r.percent(75) {
        only_counter(&mut program, r.pick(&[-1, -2, -3, -4]));
    }
    let mixed = matches!(flavour, Flavour::Mix | Flavour::All);
    let created = flavour == Flavour::Threads || (mixed && r.percent(40));
    for t in 1..if created { threads } else { 0 } {
        if r.percent(60) {
            let creator = r.below(t);
            let at = boundary(r, &program[creator], 0);
            program[creator].insert(at, Op::Create(t));
            if r.percent(60) {
                let at = boundary(r, &program[creator], at + 1);
                program[creator].insert(at, Op::Join(t));
            }
        }
    }
    if r.percent(10) {
        program[0].push(Op::JoinAll);
    }
    program
}

/// Lets all counts be compared with one number.
fn only_counter(program: &mut Threads, value: i8) {
    for op in program.iter_mut().flatten() {
        if let Op::Count(_, counter, ..) = op {
            counter.value = value;
        }
    }
}

/// Lets all threads meet at one barrier.
fn only_barrier(program: &mut Threads, only: usize) {
    for op in program.iter_mut().flatten() {
        match op {
            Op::Barrier(b, _) | Op::BarrierInit(b, _) | Op::BarrierDestroy(b) => *b = only,
            _ => {}
        }
    }
}

/// A place from `from` on that no skip jumps over, so that what is created is created at most once.
fn boundary(r: &mut Random, ops: &[Op], from: usize) -> usize {
    from + r.below(ops.len() + 1 - from)
}

fn thread(r: &mut Random, flavour: Flavour, threads: usize, pieces: usize) -> Vec<Op> {
    let mut ops = Vec::new();
    for _ in 0..1 + r.below(pieces) {
        ops.extend(piece(r, flavour, threads));
        if r.percent(10) {
            ops.push(Op::SkipUnless(0, r.below(2) as u64, 1));
        }
        if r.percent(4) {
            ops.push(Op::Assume(0, r.below(2) as u64));
        }
    }
    ops
}

/// Whether each thread announced itself before it waits to write as one that did.
fn is_well_formed(program: &Threads) -> bool {
    program.iter().all(|thread| {
        let mut announced: Vec<usize> = Vec::new();
        thread.iter().all(|op| match *op {
            Op::RwAnnounce(o) => {
                announced.push(o);
                true
            }
            Op::RwWriteAnnounced(o)
            | Op::TimedRwWriteAnnounced(o, _)
            | Op::StayRwWrite(o)
            | Op::RwRetract(o) => announced.contains(&o),
            _ => true,
        })
    })
}

/// Removes operations as long as the program still fails.
pub fn shrink(mut program: Threads, fails: impl Fn(&Threads) -> bool) -> Threads {
    loop {
        let smaller = (0..program.len()).find_map(|t| {
            (1..=3).find_map(|width| {
                (0..(program[t].len() + 1).saturating_sub(width)).find_map(|at| {
                    let mut candidate = program.clone();
                    candidate[t].drain(at..at + width);
                    (is_well_formed(&candidate) && fails(&candidate)).then_some(candidate)
                })
            })
        });
        match smaller {
            Some(candidate) => program = candidate,
            None => return program,
        }
    }
}
