//! Two orders of independent calls are one trace: every call gets the same answer, and every thread
//! the same time, in both. The search relies on it, and so does virtual time.

use crate::program::{apply, Generator, Op, Random};
use dpor_model::ThreadId;
use dpor_races::{Judgement, Race, Races};

/// What a call touches: threads, bytes, named objects.
struct Footprint {
    threads: Vec<ThreadId>,
    bytes: Option<(u64, u64)>,
    object: Option<u64>,
}

fn footprint(op: Op) -> Footprint {
    let of = |threads: &[ThreadId], bytes, object| Footprint {
        threads: threads.to_vec(),
        bytes,
        object,
    };
    match op {
        Op::Read {
            thread,
            address,
            bytes,
            ..
        }
        | Op::Write {
            thread,
            address,
            bytes,
            ..
        }
        | Op::Free {
            thread,
            address,
            bytes,
            ..
        }
        | Op::Use {
            thread,
            address,
            bytes,
            ..
        }
        | Op::Allocate {
            thread,
            address,
            bytes,
            ..
        } => of(&[thread], Some((address, address + bytes)), None),
        Op::Load {
            thread,
            address,
            bytes,
            ..
        }
        | Op::Store {
            thread,
            address,
            bytes,
            ..
        }
        | Op::Rmw {
            thread,
            address,
            bytes,
            ..
        } => of(&[thread], Some((address, address + u64::from(bytes))), None),
        Op::LockObject {
            thread,
            lock,
            address,
            bytes,
            ..
        } => of(&[thread], Some((address, address + bytes)), Some(lock)),
        Op::Fence { thread, .. } | Op::Finish { thread } | Op::Sleep { thread, .. } => {
            of(&[thread], None, None)
        }
        Op::Acquire { thread, object }
        | Op::Release { thread, object }
        | Op::ReleaseStore { thread, object }
        | Op::Lock {
            thread,
            lock: object,
        }
        | Op::Unlock {
            thread,
            lock: object,
        } => of(&[thread], None, Some(object)),
        Op::Edge { thread, to } => of(&[thread, to], None, None),
        Op::Create { thread, child } | Op::Join { thread, child } => {
            of(&[thread, child], None, None)
        }
    }
}

/// Whether the two calls can be exchanged: different threads, different bytes (but if both only use the
/// object there), different objects.
fn independent(a: Op, b: Op) -> bool {
    let both_use = matches!((a, b), (Op::Use { .. }, Op::Use { .. }));
    let (a, b) = (footprint(a), footprint(b));
    let bytes_meet = match (a.bytes, b.bytes) {
        (Some((start, end)), Some((other_start, other_end))) => {
            start < other_end && other_start < end
        }
        _ => false,
    };
    let objects_meet = a.object.is_some() && a.object == b.object;
    !a.threads.iter().any(|thread| b.threads.contains(thread))
        && (both_use || !bytes_meet)
        && !objects_meet
}

/// A call's place in the original order, its answer, and behind it its threads' times and what they slept.
type Answer = (usize, Option<Race>, Vec<(u64, u32)>);

/// Per call (by its place in the original order): the answer, and behind it its threads' times and what they slept.
fn run(calls: &[(usize, Op)]) -> Vec<Answer> {
    let mut races = Races::new(Judgement::C11);
    let mut answers: Vec<_> = calls
        .iter()
        .map(|&(place, op)| {
            let race = apply(&mut races, op);
            let times = footprint(op)
                .threads
                .iter()
                .map(|&thread| (races.time(thread), races.slept(thread)))
                .collect();
            (place, race, times)
        })
        .collect();
    answers.sort_by_key(|answer| answer.0);
    answers
}

/// Whether memory is freed again before it is allocated again. Such an execution ends with a finding of
/// its own in the runtime; which of the frees a later race names may depend on the order.
fn frees_twice(calls: &[(usize, Op)]) -> bool {
    let mut freed = std::collections::BTreeSet::new();
    calls.iter().any(|&(_, op)| match op {
        Op::Free { address, bytes, .. } => {
            let fresh = (address..address + bytes)
                .filter(|&byte| freed.insert(byte))
                .count();
            (fresh as u64) < bytes
        }
        Op::Allocate { address, bytes, .. } => {
            freed.retain(|byte| !(address..address + bytes).contains(byte));
            false
        }
        _ => false,
    })
}

#[test]
fn independent_calls_can_be_exchanged() {
    let mut exchanges = 0;
    for seed in 0..3_000 {
        let mut random = Random(seed);
        let mut generator = Generator::new(&mut random);
        let mut calls: Vec<(usize, Op)> = (0..60)
            .map(|place| (place, generator.next(&mut random)))
            .collect();
        if frees_twice(&calls) {
            continue;
        }
        let before = run(&calls);
        for _ in 0..600 {
            let place = random.below(59) as usize;
            if independent(calls[place].1, calls[place + 1].1) {
                calls.swap(place, place + 1);
                exchanges += 1;
            }
        }
        for (one, other) in before.iter().zip(run(&calls)) {
            assert_eq!(*one, other, "seed {seed}");
        }
    }
    assert!(exchanges > 100_000, "{exchanges}");
}
