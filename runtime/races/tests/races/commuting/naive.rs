//! C11 happens-before of one sequentially consistent execution, as a graph; also what of it is left if
//! commuting updates do not learn from each other.

use super::interpreter::{Op, Told};
use dpor_abi::order::{ACQUIRE, ACQ_REL, RELEASE, SEQ_CST};
use dpor_model::{update, SiteId};

fn acquires(order: u32) -> bool {
    matches!(order, ACQUIRE | ACQ_REL | SEQ_CST)
}

fn releases(order: u32) -> bool {
    matches!(order, RELEASE | ACQ_REL | SEQ_CST)
}

/// The racing pairs of an execution, as sites. `commute`: members of a run of commuting updates do
/// not learn from each other.
pub fn races(told: &[Told], commute: bool) -> Vec<(SiteId, SiteId)> {
    let n = told.len();
    let mut before = vec![vec![false; n]; n];
    for (i, row) in before.iter_mut().enumerate() {
        for (j, cell) in row.iter_mut().enumerate().skip(i + 1) {
            *cell = told[i].thread == told[j].thread || synchronizes(told, i, j, commute);
        }
    }
    for k in 0..n {
        for i in 0..n {
            if before[i][k] {
                let (row, via) = (before[k].clone(), &mut before[i]);
                via.iter_mut().zip(row).for_each(|(a, b)| *a |= b);
            }
        }
    }
    let mut found = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            let conflict = match (told[i].op, told[j].op) {
                (Op::Write(p), Op::Read(q) | Op::Write(q)) | (Op::Read(p), Op::Write(q)) => p == q,
                _ => false,
            };
            if conflict && !before[i][j] {
                found.push((told[i].site, told[j].site));
            }
        }
    }
    found
}

/// Whether `i`, a release operation or fence, synchronizes with `j`, an acquire operation or fence:
/// some write published by `i` heads a release sequence from which a read that `j` acts for takes its
/// value.
fn synchronizes(told: &[Told], i: usize, j: usize, commute: bool) -> bool {
    let writes = heads(told, i);
    let reads = reads(told, j);
    let learns =
        |write, read| reaches(told, write, read) && !(commute && is_run(told, write, read));
    reads
        .iter()
        .any(|&read| writes.iter().any(|&write| learns(write, read)))
}

fn cell(told: &Told) -> Option<u64> {
    match told.op {
        Op::Load(x, _) | Op::Store(x, _) | Op::Update(x, ..) => Some(x),
        Op::Drop(x, _) | Op::IsLast(x, _) => Some(x),
        _ => None,
    }
}

/// Whether all accesses to a cell from one to another are updates by one operator.
fn is_run(told: &[Told], first: usize, last: usize) -> bool {
    let Op::Update(_, operator, _) = told[first].op else {
        return false;
    };
    let mut on_cell = told[first..=last]
        .iter()
        .filter(|t| cell(t) == cell(&told[first]));
    operator != update::OTHER
        && on_cell.all(|t| matches!(t.op, Op::Update(_, other, _) if other == operator))
}

/// The writes that a release operation or fence publishes by.
fn heads(told: &[Told], i: usize) -> Vec<usize> {
    match told[i].op {
        Op::Store(_, order) | Op::Update(_, _, order) | Op::Drop(_, order) if releases(order) => {
            vec![i]
        }
        Op::Fence(order) if releases(order) => (i + 1..told.len())
            .filter(|&k| told[k].thread == told[i].thread)
            .filter(|&k| matches!(told[k].op, Op::Store(..) | Op::Update(..) | Op::Drop(..)))
            .collect(),
        _ => vec![],
    }
}

/// The reads that an acquire operation or fence acts for.
fn reads(told: &[Told], j: usize) -> Vec<usize> {
    match told[j].op {
        Op::Load(_, order) | Op::Update(_, _, order) if acquires(order) => vec![j],
        Op::IsLast(_, order) | Op::Drop(_, order) if acquires(order) => vec![j],
        Op::Fence(order) if acquires(order) => (0..j)
            .filter(|&k| told[k].thread == told[j].thread)
            .filter(|&k| is_read(told[k].op))
            .collect(),
        _ => vec![],
    }
}

/// Whether `read` reads `write` or a read-modify-write of the release sequence that it heads.
fn reaches(told: &[Told], write: usize, read: usize) -> bool {
    let cell = |k: usize| cell(&told[k]);
    write < read
        && cell(write) == cell(read)
        && (write + 1..read).all(|k| cell(k) != cell(write) || !matches!(told[k].op, Op::Store(..)))
}

fn is_read(op: Op) -> bool {
    matches!(
        op,
        Op::Load(..) | Op::Update(..) | Op::Drop(..) | Op::IsLast(..)
    )
}
