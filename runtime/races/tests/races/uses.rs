//! A lock is remembered behind what it orders; that finds the races of one that is remembered before it.

use crate::program::{apply, Generator, Op, Random};
use dpor_races::{Judgement, Races};

/// Makes the call with the use of the lock's memory told before the lock. Returns the address of the race, if there is
/// one, not which of several earlier accesses it names.
fn apart(races: &mut Races, op: Op) -> Option<u64> {
    let race = match op {
        Op::LockObject {
            thread,
            lock,
            address,
            bytes,
            site,
        } => {
            let race = races.use_object(thread, address, bytes, site);
            races.lock(thread, lock);
            race
        }
        _ => apply(races, op),
    };
    race.map(|race| race.address)
}

#[test]
fn a_lock_is_a_use_and_a_lock() {
    let (mut locks, mut races_found) = (0, 0);
    for seed in 0..20_000 {
        let mut random = Random(seed);
        let mut generator = Generator::new(&mut random);
        let (mut one, mut other) = (Races::new(Judgement::C11), Races::new(Judgement::C11));
        for place in 0..80 {
            let op = generator.next(&mut random);
            let race = apply(&mut one, op);
            let is_lock = matches!(op, Op::LockObject { .. });
            locks += usize::from(is_lock);
            races_found += usize::from(race.is_some() && (is_lock || race_with_use(&race)));
            let address = race.map(|race| race.address);
            assert_eq!(
                address,
                apart(&mut other, op),
                "seed {seed}, call {place}: {op:?}"
            );
        }
    }
    assert!(
        locks > 20_000 && races_found > 2_000,
        "{locks} {races_found}"
    );
}

/// Whether the earlier access was an atomic read, as uses are.
fn race_with_use(race: &Option<dpor_races::Race>) -> bool {
    race.as_ref()
        .is_some_and(|race| race.earlier.atomic && !race.earlier.write)
}
