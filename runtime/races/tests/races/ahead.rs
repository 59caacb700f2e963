//! Reads of which it is known later whether they count: against executions in which those that do are ordinary
//! reads and the others are not there.

use crate::program::{apply, Generator, Op, Random};
use dpor_abi::order::{ACQUIRE, RELEASE};
use dpor_model::{SiteId, ThreadId};
use dpor_races::{Judgement, Race, Races};
use std::collections::BTreeSet;

const X: u64 = 0x1000;
const FLAG: u64 = 0x2000;
const TOKEN: u64 = 77;

fn two_threads() -> Races {
    let mut races = Races::new(Judgement::C11);
    races.create(ThreadId::MAIN, ThreadId(1));
    races
}

fn sites(race: &Race) -> (u64, u64) {
    (race.earlier.site.0, race.later.site.0)
}

fn unused(races: &Races) -> Vec<(u64, u64)> {
    races.unused_ahead().map(sites).collect()
}

#[test]
fn a_read_that_is_not_used_is_told_of_apart() {
    let mut races = two_threads();
    races.read_ahead(ThreadId::MAIN, X, 4, TOKEN, SiteId(1));
    assert_eq!(unused(&races), []);
    assert_eq!(races.write(ThreadId(1), X, 4, SiteId(2)), None);
    assert_eq!(unused(&races), [(1, 2)]);
    // The other way round.
    let mut races = two_threads();
    races.write(ThreadId(1), X, 4, SiteId(2));
    races.read_ahead(ThreadId::MAIN, X, 4, TOKEN, SiteId(1));
    assert_eq!(unused(&races), [(2, 1)]);
}

#[test]
fn a_use_makes_it_a_read_of_the_moment_it_was_made() {
    // The write came before the use, and the race is told with the use.
    let mut races = two_threads();
    races.read_ahead(ThreadId::MAIN, X, 4, TOKEN, SiteId(1));
    races.write(ThreadId(1), X, 4, SiteId(2));
    let race = races
        .used_ahead(ThreadId::MAIN, TOKEN)
        .expect("nothing orders the two");
    assert_eq!(sites(&race), (1, 2));
    assert_eq!(races.used_ahead(ThreadId::MAIN, TOKEN), None, "told once");
    assert_eq!(unused(&races), []);
    // It comes later.
    let mut races = two_threads();
    races.read_ahead(ThreadId::MAIN, X, 4, TOKEN, SiteId(1));
    assert_eq!(races.used_ahead(ThreadId::MAIN, TOKEN), None);
    let race = races
        .write(ThreadId(1), X, 4, SiteId(2))
        .expect("nothing orders the two");
    assert_eq!(sites(&race), (1, 2));
    // The read is ordered before the write by a release behind it, the use is not.
    let mut races = two_threads();
    races.read_ahead(ThreadId::MAIN, X, 4, TOKEN, SiteId(1));
    races.atomic_store(ThreadId::MAIN, FLAG, 4, RELEASE, SiteId(3));
    races.atomic_load(ThreadId(1), FLAG, 4, ACQUIRE, SiteId(4));
    assert_eq!(races.used_ahead(ThreadId::MAIN, TOKEN), None);
    assert_eq!(races.write(ThreadId(1), X, 4, SiteId(2)), None);
    assert_eq!(unused(&races), []);
    // The write is ordered before the use, and not before the read.
    let mut races = two_threads();
    races.write(ThreadId(1), X, 4, SiteId(2));
    races.atomic_store(ThreadId(1), FLAG, 4, RELEASE, SiteId(3));
    races.read_ahead(ThreadId::MAIN, X, 4, TOKEN, SiteId(1));
    races.atomic_load(ThreadId::MAIN, FLAG, 4, ACQUIRE, SiteId(4));
    assert!(races.used_ahead(ThreadId::MAIN, TOKEN).is_some());
}

#[test]
fn reads_of_one_name() {
    // The use is of the youngest.
    let mut races = two_threads();
    races.read_ahead(ThreadId::MAIN, X, 4, TOKEN, SiteId(1));
    races.read_ahead(ThreadId::MAIN, X + 8, 4, TOKEN, SiteId(1));
    races.used_ahead(ThreadId::MAIN, TOKEN);
    assert_eq!(races.write(ThreadId(1), X, 4, SiteId(2)), None);
    assert!(races.write(ThreadId(1), X + 8, 4, SiteId(3)).is_some());
    assert_eq!(unused(&races), [(1, 2)]);
    // And of none, if the youngest is of nothing.
    let mut races = two_threads();
    races.read_ahead(ThreadId::MAIN, X, 4, TOKEN, SiteId(1));
    races.read_ahead(ThreadId::MAIN, X, 0, TOKEN, SiteId(1));
    races.write(ThreadId(1), X, 4, SiteId(2));
    assert_eq!(races.used_ahead(ThreadId::MAIN, TOKEN), None);
    // Of whom is part of the name.
    let mut races = two_threads();
    races.read_ahead(ThreadId::MAIN, X, 4, TOKEN, SiteId(1));
    races.read_ahead(ThreadId(1), X + 8, 4, TOKEN, SiteId(2));
    races.write(ThreadId(1), X, 4, SiteId(3));
    assert_eq!(races.used_ahead(ThreadId(1), TOKEN), None);
    assert!(races.used_ahead(ThreadId::MAIN, TOKEN).is_some());
}

#[test]
fn a_read_of_the_program_beside_it_races_as_ever() {
    let mut races = two_threads();
    races.read_ahead(ThreadId::MAIN, X, 4, TOKEN, SiteId(1));
    races.read(ThreadId::MAIN, X, 4, SiteId(5));
    let race = races
        .write(ThreadId(1), X, 4, SiteId(2))
        .expect("nothing orders the two");
    assert_eq!(sites(&race), (5, 2));
}

#[test]
fn memory_that_is_allocated_anew() {
    let mut races = two_threads();
    races.read_ahead(ThreadId::MAIN, X, 8, TOKEN, SiteId(1));
    races.used_ahead(ThreadId::MAIN, TOKEN);
    let mark = races.mark();
    races.allocate(ThreadId(1), X, 4, SiteId(9));
    races.rollback(mark);
    assert!(races.write(ThreadId(1), X, 4, SiteId(2)).is_some());
    races.rollback(mark);
    races.allocate(ThreadId(1), X, 4, SiteId(9));
    assert_eq!(races.write(ThreadId(1), X, 4, SiteId(2)), None);
    assert!(races.write(ThreadId(1), X + 4, 4, SiteId(3)).is_some());
}

#[test]
fn a_read_of_several_granules() {
    let mut races = two_threads();
    races.write(ThreadId(1), X + 8, 8, SiteId(2));
    races.read_ahead(ThreadId::MAIN, X, 32, TOKEN, SiteId(1));
    assert!(races.used_ahead(ThreadId::MAIN, TOKEN).is_some());
    assert!(races.write(ThreadId(1), X + 24, 8, SiteId(3)).is_some());
}

/// A call, or one of those of reads made ahead.
#[derive(Clone, Copy, Debug)]
enum Call {
    Plain(Op),
    Ahead {
        thread: ThreadId,
        address: u64,
        bytes: u64,
        token: u64,
        site: SiteId,
    },
    Used {
        thread: ThreadId,
        token: u64,
    },
}

/// A random execution. A thread uses what it has read as long as it lives.
fn generate(random: &mut Random, length: usize) -> Vec<Call> {
    let mut generator = Generator::new(random);
    let mut calls = Vec::new();
    let mut names: Vec<(ThreadId, u64)> = Vec::new();
    while calls.len() < length {
        if !names.is_empty() && random.one_in(5) {
            let (thread, token) = random.pick(&names);
            calls.push(Call::Used { thread, token });
            continue;
        }
        match generator.next(random) {
            Op::Read {
                thread,
                address,
                bytes,
                site,
            } if !random.one_in(3) => {
                let token = random.below(3);
                names.push((thread, token));
                calls.push(Call::Ahead {
                    thread,
                    address,
                    bytes,
                    token,
                    site,
                });
            }
            op => {
                if let Op::Finish { thread } = op {
                    names.retain(|name| name.0 != thread);
                }
                calls.push(Call::Plain(op));
            }
        }
    }
    calls
}

/// Whether the read at `index` is used.
fn is_used(calls: &[Call], index: usize) -> bool {
    let Call::Ahead { thread, token, .. } = calls[index] else {
        return false;
    };
    let about_it = |call: &&Call| match **call {
        Call::Used {
            thread: by,
            token: of,
        } => (by, of) == (thread, token),
        Call::Ahead {
            thread: by,
            token: of,
            ..
        } => (by, of) == (thread, token),
        // A number that is used again is another thread.
        Call::Plain(Op::Finish { thread: by }) => by == thread,
        Call::Plain(_) => false,
    };
    matches!(
        calls[index + 1..].iter().find(about_it),
        Some(Call::Used { .. })
    )
}

/// Who makes it, if it is an access that may be made at any time.
fn accessor(call: Call) -> Option<ThreadId> {
    match call {
        Call::Plain(Op::Read { thread, .. } | Op::Write { thread, .. })
        | Call::Ahead { thread, .. }
        | Call::Used { thread, .. } => Some(thread),
        Call::Plain(_) => None,
    }
}

/// Makes the calls, with detours that are taken back.
fn run(calls: &[Call], random: &mut Random) -> (bool, Vec<SiteId>) {
    let mut races = Races::new(Judgement::C11);
    let call = |races: &mut Races, call: Call| match call {
        Call::Plain(op) => apply(races, op),
        Call::Ahead {
            thread,
            address,
            bytes,
            token,
            site,
        } => {
            races.read_ahead(thread, address, bytes, token, site);
            None
        }
        Call::Used { thread, token } => races.used_ahead(thread, token),
    };
    let mut any = false;
    let mut alive = BTreeSet::from([ThreadId::MAIN]);
    for &next in calls {
        if random.one_in(4) {
            let mark = races.mark();
            for _ in 0..random.below(5) {
                let detour = random.pick(calls);
                if accessor(detour).is_some_and(|thread| alive.contains(&thread)) {
                    call(&mut races, detour);
                }
            }
            races.rollback(mark);
        }
        match next {
            Call::Plain(Op::Create { child, .. }) => drop(alive.insert(child)),
            Call::Plain(Op::Finish { thread }) => drop(alive.remove(&thread)),
            _ => (),
        }
        any |= call(&mut races, next).is_some();
    }
    let reads = |race: &Race| match race.earlier.write {
        true => race.later.site,
        false => race.earlier.site,
    };
    (any, races.unused_ahead().map(reads).collect())
}

/// Whether ordinary calls race.
fn races(calls: impl Iterator<Item = Op>) -> bool {
    let mut races = Races::new(Judgement::C11);
    let mut any = false;
    calls.for_each(|op| any |= apply(&mut races, op).is_some());
    any
}

/// Each read that is in `kept` is an ordinary one, the others are gone.
fn replaced<'a>(
    calls: &'a [Call],
    kept: impl Fn(usize) -> bool + 'a,
) -> impl Iterator<Item = Op> + 'a {
    calls
        .iter()
        .enumerate()
        .filter_map(move |(index, &call)| match call {
            Call::Plain(op) => Some(op),
            Call::Ahead {
                thread,
                address,
                bytes,
                site,
                ..
            } if kept(index) => Some(Op::Read {
                thread,
                address,
                bytes,
                site,
            }),
            _ => None,
        })
}

#[test]
fn random_executions() {
    let (mut racy, mut free, mut told) = (0, 0, 0);
    for seed in 0..20_000 {
        let mut random = Random(seed);
        let length = 8 + random.below(14) as usize;
        let calls = generate(&mut random, length);
        let (any, unused) = run(&calls, &mut random);
        let expect = races(replaced(&calls, |index| is_used(&calls, index)));
        assert_eq!(any, expect, "seed {seed}: {calls:#?}");
        *if any { &mut racy } else { &mut free } += 1;
        if any {
            continue;
        }
        // Without another race, a read that is not used is told of if it would make one.
        for (index, &call) in calls.iter().enumerate() {
            let Call::Ahead { site, .. } = call else {
                continue;
            };
            if is_used(&calls, index) {
                continue;
            }
            let would = races(replaced(&calls, |other| {
                other == index || is_used(&calls, other)
            }));
            // Another read of the same site may have been told of.
            let same_site =
                |call: &&Call| matches!(call, Call::Ahead { site: s, .. } if *s == site);
            if calls.iter().filter(same_site).count() == 1 {
                assert_eq!(
                    unused.contains(&site),
                    would,
                    "seed {seed}, read {index}: {calls:#?}"
                );
                told += usize::from(would);
            }
        }
    }
    assert!(
        racy > 3_000 && free > 3_000 && told > 200,
        "{racy} {free} {told}"
    );
}
