//! Looks of waiting threads against looks that are made: at each moment from the arrival on, one at a time.

use crate::program::Random;
use dpor_abi::order::{ACQUIRE, RELAXED, RELEASE, SEQ_CST};
use dpor_model::{SiteId, ThreadId};
use dpor_races::{Judgement, Look, Race, Races};

const CELL: u64 = 0x1000;
const WAITER: ThreadId = ThreadId(1);
const LOOK: u64 = 99;

fn detector() -> Races {
    let mut races = Races::new(Judgement::C11);
    for child in 1..4 {
        races.create(ThreadId::MAIN, ThreadId(child));
    }
    races
}

/// What a thread does.
#[derive(Clone, Copy, Debug)]
enum Op {
    Write(ThreadId, u64, u64),
    Read(ThreadId, u64),
    Store(ThreadId, u64, u32),
    Exchange(ThreadId, u32),
    Load(ThreadId, u32),
    Acquire(ThreadId),
    Release(ThreadId),
}

fn apply(races: &mut Races, number: usize, op: Op) -> Option<Race> {
    let site = number as u64;
    races.stand(number as u32);
    match op {
        Op::Write(thread, at, bytes) => races.write(thread, CELL + at, bytes, SiteId(site)),
        Op::Read(thread, at) => races.read(thread, CELL + at, 1, SiteId(site)),
        Op::Store(thread, at, order) => {
            races.atomic_store(thread, CELL + at, 4, order, SiteId(site))
        }
        Op::Exchange(thread, order) => races.atomic_rmw(thread, CELL, 4, order, SiteId(site)),
        Op::Load(thread, order) => races.atomic_load(thread, CELL, 4, order, SiteId(site)),
        Op::Acquire(thread) => {
            races.acquire(thread, 7);
            None
        }
        Op::Release(thread) => {
            races.release(thread, 7);
            None
        }
    }
}

fn random_op(random: &mut Random, thread: ThreadId) -> Op {
    let order = random.pick(&[RELAXED, RELEASE, SEQ_CST]);
    match random.below(10) {
        0 | 1 => Op::Write(thread, 0, 4),
        2 => Op::Write(thread, random.below(6), 1),
        3 => Op::Read(thread, random.below(4)),
        4 => Op::Store(thread, random.pick(&[0, 0, 4]), order),
        5 => Op::Exchange(thread, random.pick(&[RELAXED, ACQUIRE, SEQ_CST])),
        6 => Op::Load(thread, random.pick(&[RELAXED, ACQUIRE])),
        7 | 8 => Op::Acquire(thread),
        _ => Op::Release(thread),
    }
}

fn look(races: &mut Races, kind: Look, order: u32) -> Option<Race> {
    match kind {
        Look::Plain => races.read(WAITER, CELL, 4, SiteId(LOOK)),
        Look::Load => races.atomic_load(WAITER, CELL, 4, order, SiteId(LOOK)),
        Look::Update => races.atomic_rmw(WAITER, CELL, 4, order, SiteId(LOOK)),
    }
}

#[test]
fn a_look_races_where_one_at_some_moment_does() {
    let (mut compared, mut raced) = (0, 0);
    for seed in 0..60_000 {
        let random = &mut Random(seed);
        let before: Vec<Op> = (0..random.below(6))
            .map(|_| {
                let thread = ThreadId(random.below(4) as u16);
                random_op(random, thread)
            })
            .collect();
        let behind: Vec<Op> = (0..random.below(5))
            .map(|_| {
                let thread = random.pick(&[0, 2, 3]);
                random_op(random, ThreadId(thread))
            })
            .collect();
        // Exchanges in vain publish nothing new only if they release nothing.
        let kind = random.pick(&[Look::Plain, Look::Load, Look::Load, Look::Update]);
        let order = random.pick(&[RELAXED, ACQUIRE]);
        let all: Vec<Op> = before.iter().chain(&behind).copied().collect();
        let mut races = detector();
        let each = { all.iter().enumerate() }.map(|(k, &op)| apply(&mut races, k, op));
        if each.flatten().next().is_some() {
            continue;
        }
        let made = (before.len()..=all.len()).any(|moment| {
            let mut races = detector();
            let mut found = false;
            for (k, &op) in all.iter().enumerate() {
                if k == moment {
                    found |= look(&mut races, kind, order).is_some();
                }
                // What a look that writes publishes is what its thread did before.
                found |= apply(&mut races, k, op).is_some();
            }
            found || moment == all.len() && look(&mut races, kind, order).is_some()
        });
        let mut races = detector();
        let mut left_out = false;
        for (k, &op) in all.iter().enumerate() {
            if k == before.len() {
                let arrival = races.arrive(WAITER, (CELL, 4), kind, order, SiteId(LOOK));
                left_out |= arrival.race.is_some();
            }
            left_out |= apply(&mut races, k, op).is_some();
        }
        if behind.is_empty() {
            let arrival = races.arrive(WAITER, (CELL, 4), kind, order, SiteId(LOOK));
            left_out |= arrival.race.is_some();
        }
        assert_eq!(
            made, left_out,
            "seed {seed}: {kind:?} {order}, {before:?} then {behind:?}"
        );
        compared += 1;
        raced += u32::from(made);
    }
    println!("{compared} compared, {raced} with a race");
    assert!(raced > 1000 && compared - raced > 1000);
}

/// Thread 0 writes plainly and publishes it; then a third store follows.
fn published(third: u32) -> Races {
    let mut races = detector();
    for (number, op) in [
        Op::Write(ThreadId::MAIN, 0, 4),
        Op::Store(ThreadId::MAIN, 0, RELEASE),
        Op::Store(ThreadId::MAIN, 0, third),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(apply(&mut races, number, op), None);
    }
    races
}

// The write is hidden up to the store that publishes it.
#[test]
fn a_write_that_the_look_learns_of_is_doubtful_up_to_the_store_that_publishes_it() {
    let arrival = published(RELEASE).arrive(WAITER, (CELL, 4), Look::Load, ACQUIRE, SiteId(LOOK));
    assert!(arrival.race.is_none());
    let doubt = arrival.doubt.expect("the look may have come first");
    assert_eq!((doubt.event, doubt.race.earlier.site), (1, SiteId::UNKNOWN));
}

// The plain write and two stores that publish it lie in eight bytes, the first store beside the write.
#[test]
fn a_store_beside_the_write_tells_only_those_who_read_it() {
    for (bytes, event) in [(4, 2), (8, 1)] {
        let mut races = detector();
        for (number, op) in [
            Op::Write(ThreadId::MAIN, 0, 4),
            Op::Store(ThreadId::MAIN, 4, RELEASE),
            Op::Store(ThreadId::MAIN, 0, RELEASE),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(apply(&mut races, number, op), None);
        }
        let arrival = races.arrive(WAITER, (CELL, bytes), Look::Load, ACQUIRE, SiteId(LOOK));
        assert!(arrival.race.is_none());
        assert_eq!(arrival.doubt.map(|doubt| doubt.event), Some(event));
    }
}

// A relaxed store hides it again, up to the next one.
#[test]
fn a_relaxed_store_hides_the_write_again() {
    let mut races = published(RELAXED);
    assert_eq!(
        apply(&mut races, 3, Op::Store(ThreadId::MAIN, 0, RELEASE)),
        None
    );
    let arrival = races.arrive(WAITER, (CELL, 4), Look::Load, ACQUIRE, SiteId(LOOK));
    assert_eq!(arrival.doubt.map(|doubt| doubt.event), Some(3));
}

// What the thread knows is no doubt; a relaxed look learns nothing.
#[test]
fn what_is_known_is_no_doubt_and_relaxed_looks_learn_nothing() {
    let mut races = published(RELEASE);
    let arrival = races.arrive(WAITER, (CELL, 4), Look::Load, RELAXED, SiteId(LOOK));
    assert!(arrival.race.is_some() && arrival.doubt.is_none());
    let mut races = published(RELEASE);
    races.release(ThreadId::MAIN, 7);
    races.acquire(WAITER, 7);
    let arrival = races.arrive(WAITER, (CELL, 4), Look::Load, ACQUIRE, SiteId(LOOK));
    assert!(arrival.race.is_none() && arrival.doubt.is_none());
}

// Who went on does not look again.
#[test]
fn who_left_looks_no_more() {
    for leaves in [false, true] {
        let mut races = published(RELEASE);
        let mark = races.mark();
        for _ in 0..2 {
            races.arrive(WAITER, (CELL, 4), Look::Load, ACQUIRE, SiteId(LOOK));
            if leaves {
                races.leave(WAITER);
            }
            assert_eq!(
                races
                    .atomic_store(ThreadId::MAIN, CELL, 4, RELAXED, SiteId(3))
                    .is_some(),
                !leaves
            );
            races.rollback(mark);
        }
    }
}
