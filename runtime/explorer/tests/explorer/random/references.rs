//! Programs that count references: who creates threads takes a count for each, threads take more and drop them, and who is
//! told that it dropped the last one goes on. Some have mistakes: a count that nobody took, or was not there yet.

use super::Random;
use crate::interpreter::{Op, Threads, WHOLE};
use dpor_model::{update, Counter, Test};

/// The count.
const X: usize = 0;
/// Something else.
const Y: usize = 1;
/// What a drop is told.
const TOLD: usize = 1;
/// What a look finds.
const SEEN: usize = 3;

type Bytes = (u8, u32);

fn take(bytes: Bytes) -> Op {
    Op::Update(X, update::ADD, bytes, 1)
}

/// Drops a count; who is told something goes on differently. `looks`: whoever finds that it has the last one need not drop
/// it.
fn dropped(r: &mut Random, bytes: Bytes, looks: bool) -> Vec<Op> {
    if looks && r.percent(70) {
        let ops = drop_it(r, bytes);
        let mut all = vec![
            Op::IsLast(X, bytes.1, SEEN),
            Op::SkipUnless(SEEN, 0, ops.len()),
        ];
        all.extend(ops);
        match r.below(4) {
            0 => all.extend([Op::SkipUnless(SEEN, 1, 1), Op::Store(X, 0)]),
            1 => all.extend([Op::SkipUnless(SEEN, 1, 1), Op::Store(Y, 4)]),
            _ => {}
        }
        return all;
    }
    drop_it(r, bytes)
}

fn drop_it(r: &mut Random, bytes: Bytes) -> Vec<Op> {
    let mut ops = vec![Op::Count(X, Counter::LAST, bytes, TOLD)];
    match r.below(6) {
        0 => ops.extend([Op::SkipUnless(TOLD, 1, 1), Op::Store(Y, 1)]),
        1 => ops.extend([Op::SkipUnless(TOLD, 1, 1), Op::Load(Y, 2)]),
        2 => ops.extend([Op::SkipUnless(TOLD, 0, 1), Op::Store(Y, 2)]),
        _ => {}
    }
    ops
}

/// What a thread does between.
pub fn piece(r: &mut Random, c: usize) -> Vec<Op> {
    match c {
        0..40 => vec![Op::Load(Y, 2)],
        40..80 => vec![Op::Store(Y, 3)],
        _ => vec![Op::FetchAdd(Y, 1, r.pick(&[2, 3]))],
    }
}

/// What a thread does that holds a count.
fn holder(r: &mut Random, bytes: Bytes, looks: bool) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut taken = 1;
    for _ in 0..r.below(3) {
        match r.below(4) {
            0 | 1 => {
                ops.push(take(bytes));
                taken += 1;
            }
            2 if taken > 1 => {
                ops.extend(dropped(r, bytes, looks));
                taken -= 1;
            }
            _ => {
                let c = r.below(100);
                ops.extend(piece(r, c));
            }
        }
    }
    for _ in 0..taken {
        ops.extend(dropped(r, bytes, looks));
    }
    ops
}

/// Puts something into a program that does not belong there.
fn mistake(r: &mut Random, program: &mut Threads, bytes: Bytes) {
    let t = r.below(program.len());
    let is_take = |op: &Op| matches!(op, Op::Update(X, ..));
    if r.percent(30) {
        let taken = program[t].iter().position(is_take);
        taken.map(|at| program[t].remove(at));
        return;
    }
    let other = Counter {
        value: r.pick(&[2, 0, 3]),
        ..Counter::LAST
    };
    let not_equal = Counter {
        test: Test::NotEqual,
        ..Counter::LAST
    };
    let op = match r.below(15) {
        0 | 1 => Op::Count(X, Counter::LAST, bytes, 3),
        2 | 3 => take(bytes),
        4 => Op::Load(X, 3),
        5 => Op::Store(X, r.pick(&[0, 1, 2])),
        6 => Op::Update(X, update::ADD, bytes, r.pick(&[2, u64::MAX])),
        7 => Op::Count(X, other, bytes, 3),
        8 => Op::Count(X, not_equal, bytes, 3),
        9 => Op::Cas(X, r.pick(&[1, 2]), 2, 3),
        10 => Op::FetchAdd(X, 1, 3),
        11 | 12 => Op::IsLast(X, bytes.1, 3),
        13 => Op::Await(X, bytes, Test::Equal, (3, r.pick(&[1, 2])), 2),
        _ => Op::Update(X, update::ADD, (4, 4), 1),
    };
    // Not between a test and what it skips.
    let starts = |at: usize| at == 0 || !matches!(program[t][at - 1], Op::SkipUnless(..));
    let places: Vec<usize> = (0..=program[t].len()).filter(|&at| starts(at)).collect();
    let at = r.pick(&places);
    program[t].insert(at, op);
}

/// A program of two to four threads, perhaps with a mistake.
pub fn program(r: &mut Random) -> Threads {
    let bytes = r.pick(&[WHOLE, WHOLE, (0, 4)]);
    let first = match r.below(8) {
        // Nobody's: the first to take one may be the last to drop one.
        0 => vec![],
        1 => vec![take(bytes)],
        _ => one(r, bytes),
    };
    let mut program = counted(r, bytes, first);
    if r.percent(35) {
        mistake(r, &mut program, bytes);
    }
    if r.percent(8) {
        // Threads begin by themselves, whatever is counted.
        program[0].retain(|op| !matches!(op, Op::Create(_)));
    }
    program
}

/// A program of two to four threads without a mistake.
pub fn right(r: &mut Random) -> Threads {
    let bytes = r.pick(&[WHOLE, WHOLE, (0, 4)]);
    let first = one(r, bytes);
    counted(r, bytes, first)
}

/// Makes one count, and, where there is room for it, perhaps another one of something else.
fn one(r: &mut Random, bytes: Bytes) -> Vec<Op> {
    let other = match bytes == WHOLE {
        true => 0,
        false => r.pick(&[0, 1 << 32, 1 << 32]),
    };
    vec![Op::Store(X, 1 | other)]
}

/// A program whose first thread begins with `first`, after which there is to be one count.
fn counted(r: &mut Random, bytes: Bytes, first: Vec<Op>) -> Threads {
    let threads = r.pick(&[2, 3, 3, 3, 4, 4]);
    let looks = r.percent(50);
    let mut program: Threads = vec![first];
    program.extend((1..threads).map(|_| holder(r, bytes, looks)));
    let mut main = std::mem::take(&mut program[0]);
    let at_once = r.percent(15);
    if at_once {
        main = vec![Op::Store(X, threads as u64)];
    }
    for t in 1..threads {
        if !at_once {
            main.push(take(bytes));
        }
        main.push(Op::Create(t));
        if r.percent(20) {
            let c = r.below(100);
            main.extend(piece(r, c));
        }
    }
    main.extend(dropped(r, bytes, looks));
    if r.percent(20) {
        main.push(Op::JoinAll);
        main.push(Op::Load(X, 2));
    }
    program[0] = main;
    program
}
