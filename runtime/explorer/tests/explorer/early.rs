//! Time-outs that come although others could go on, against what they mean: a thread that waits with a time limit may
//! give up at any moment at which it cannot go on, so many times in an execution; where nobody can go on it costs
//! nothing. Brute force over that has to end in the same states as the search over what such a call is made of: it
//! tries, decides whether it gives up, and waits.

use crate::brute::State;
use crate::interpreter::{Interpreter, Op, Threads, ALONE_TOO, LEAVE, TIMED_BITS};
use crate::random::Random;
use dpor_explorer::{Config, End, Explorer, Mutation, SearchKind};
use dpor_model::TIMEOUT;
use std::collections::{BTreeSet, HashMap};

/// Cells and first registers of a last state, and which threads came to their end.
type Last = (Vec<u64>, Vec<u64>, Vec<bool>);

/// A cell that nobody writes.
const ZERO: usize = 5;
/// Programs with more states than this are not enumerated.
const STATES_MAX: usize = 60_000;
/// A limit of early time-outs that none of the programs can reach: all are allowed.
const ALL: u64 = 50;
/// Semaphores that nobody changes, with these counts.
const ONE: usize = 10;
const TWO: usize = 20;
/// All bits of a wait on a futex.
const BITS: u32 = u32::MAX >> 1;

/// A call with a time limit, as it is meant and as it is made. Register 1: 0 if it gave up. `most`: see [`Op::Early`].
fn call(r: &mut Random, most: u64) -> (Vec<Op>, Vec<Op>) {
    let whether = Op::Early(most, 3);
    let tries = |attempt, wait| {
        let made = vec![
            attempt,
            Op::SkipUnless(1, 0, 3),
            whether,
            Op::SkipUnless(3, 0, 1),
            wait,
        ];
        (vec![wait], made)
    };
    match r.below(6) {
        0 => tries(Op::SemTrywait(0, 1), Op::TimedSemWait(0, 1)),
        1 => tries(Op::Trylock(0, 1), Op::TimedLock(0, 1)),
        2 => tries(Op::RwTryread(0, 1), Op::TimedRwRead(0, 1)),
        3 => tries(Op::RwTrywrite(0, 1), Op::TimedRwWrite(0, 1)),
        4 => {
            let x = r.below(2);
            let wait = Op::FutexWait(x, 0, BITS | TIMED_BITS, 1);
            let made = vec![
                whether,
                // Who gives up compares, and had to wait (2) or had not (1).
                Op::SkipUnless(3, 1, 4),
                Op::Load(x, 2),
                Op::SemGetvalue(ONE, 1),
                Op::SkipUnless(2, 0, 1),
                Op::SemGetvalue(TWO, 1),
                Op::SkipUnless(3, 0, 1),
                wait,
            ];
            (vec![wait], made)
        }
        _ => {
            let wait = Op::TimedWait(0, 1, 1);
            let made = vec![
                Op::Load(ZERO, 1),
                whether,
                Op::SkipUnless(3, 1, 1),
                Op::WaitOrLeave(0, 1, LEAVE, 2),
                Op::SkipUnless(3, 0, 1),
                wait,
            ];
            (vec![wait], made)
        }
    }
}

/// What comes of a call: something if it succeeded, something else if it did not; what it locked is unlocked.
fn piece(r: &mut Random, most: u64) -> (Vec<Op>, Vec<Op>) {
    let x = r.below(2);
    let same = |ops: Vec<Op>| (ops.clone(), ops);
    match r.below(11) {
        0..=4 => {
            let (meant, made) = call(r, most);
            let (before, after) = match meant[0] {
                Op::TimedLock(..) => (vec![], vec![Op::SkipUnless(1, 1, 1), Op::Unlock(0)]),
                Op::TimedRwRead(..) | Op::TimedRwWrite(..) => {
                    (vec![], vec![Op::SkipUnless(1, 1, 1), Op::RwUnlock(0)])
                }
                Op::TimedWait(..) => (vec![Op::Lock(1)], vec![Op::Unlock(1)]),
                _ => (vec![], vec![]),
            };
            let told = vec![Op::StoreSum(x, 1, 1)];
            let whole = |ops: Vec<Op>| [before.clone(), ops, told.clone(), after.clone()].concat();
            (whole(meant), whole(made))
        }
        5 => same(vec![Op::SemPost(0)]),
        6 => same(vec![Op::Lock(0), Op::Store(x, 5), Op::Unlock(0)]),
        7 => same(vec![
            Op::Lock(1),
            Op::Store(x, 6),
            Op::Signal(0),
            Op::Unlock(1),
        ]),
        8 => same(vec![Op::RwWrite(0), Op::Store(x, 7), Op::RwUnlock(0)]),
        9 => same(vec![Op::Store(x, 8), Op::FutexWake(x, 1, BITS, 0)]),
        _ => same(vec![Op::Load(x, 0), Op::StoreSum(1 - x, 0, 2)]),
    }
}

fn last(machine: &crate::interpreter::Machine, threads: &Threads) -> Last {
    let ends = (0..threads.len()).map(|t| machine.is_finished(threads, t));
    let seen = machine.registers.iter().flat_map(|r| [r[0], r[1]]);
    (machine.memory[..2].to_vec(), seen.collect(), ends.collect())
}

/// All last states in which so many gave up early at most; `None`: too many states.
fn meant(threads: &Threads, most: u64) -> Option<BTreeSet<Last>> {
    // With a state: how many gave up early.
    let mut level = HashMap::from([(0, (State::new(threads), 0))]);
    let (mut found, mut states) = (BTreeSet::new(), 0);
    while !level.is_empty() {
        let mut next = HashMap::new();
        for (state, early) in level.into_values() {
            states += 1;
            if states > STATES_MAX {
                return None;
            }
            let moves = state.moves(threads);
            if moves.is_empty() {
                found.insert(last(&state.machine, threads));
            }
            let is_late = moves.first().is_some_and(|m| m.1 == TIMEOUT);
            let mut all: Vec<(usize, u32, u64)> =
                moves.iter().map(|&(t, a)| (t, a, early)).collect();
            if early < most && !moves.is_empty() && !is_late {
                let waiting = state.waiting_timed(threads).into_iter();
                all.extend(waiting.map(|t| (t, TIMEOUT, early + 1)));
            }
            for (t, alternative, early) in all {
                let mut after = state.clone();
                after.step(threads, t, alternative);
                after.settle(threads);
                let key = after.form.wrapping_mul(64).wrapping_add(early.into());
                next.insert(key, (after, early));
            }
        }
        level = next;
    }
    Some(found)
}

fn made(threads: &Threads, search: SearchKind, mutation: Mutation) -> BTreeSet<Last> {
    let mut config = Config::default();
    (config.search, config.mutation) = (search, mutation.into());
    let mut explorer = Explorer::new(config);
    let mut program = Interpreter::new(threads);
    let mut found = BTreeSet::new();
    while let Some(execution) = explorer.next(&mut program).expect("no fault") {
        // One that was cut ends nowhere.
        if execution.end != End::Redundant {
            found.insert(last(&program.machine, threads));
        }
    }
    found
}

#[test]
fn ends_in_the_same_states_as_what_it_means() {
    let setting = |name: &str, or: u64| {
        std::env::var(name).map_or(or, |value| value.parse().expect("a number"))
    };
    let programs = setting("DPOR_ORACLE_PROGRAMS", 60);
    let (first, mut done, mut ends) = (setting("DPOR_ORACLE_SEED", 0), 0, 0);
    let mut at = first;
    while done < programs {
        at += 1;
        let mut r = Random(at);
        let most = [0, 1, 2, ALL][at as usize % 4];
        let count = 2 + r.below(2);
        let (mut as_meant, mut as_made): (Threads, Threads) = Default::default();
        for _ in 0..count {
            let pieces = (0..1 + r.below(2)).map(|_| piece(&mut r, most + ALONE_TOO));
            let (a, b): (Vec<_>, Vec<_>) = pieces.unzip();
            as_meant.push(a.concat());
            as_made.push(b.concat());
        }
        let Some(expected) = meant(&as_meant, most) else {
            continue;
        };
        ends += expected.len();
        for search in [SearchKind::Optimal, SearchKind::Classic] {
            let found = made(&as_made, search.clone(), Mutation::None);
            // Registers and cells are the same; how far a thread came is told in its own operations.
            assert_eq!(
                found, expected,
                "{search:?}, seed {at}, {most} early\n{as_meant:?}\n{as_made:?}"
            );
        }
        done += 1;
    }
    println!(
        "{done} programs, {ends} ends, {} skipped as too big",
        at - first - done
    );
}

/// Two threads wait in vain; then each stores, and loads what the other stores. They overlap, so that both load 1, only
/// if one gives up where nothing else can go on, and the other, which waits already, early while the first is not done.
#[test]
fn who_waits_decides_again() {
    let then = |k| [Op::Store(k, 1), Op::Load(1 - k, 0)];
    let meant_by = |k| [&[Op::TimedSemWait(k, 1)][..], &then(k)].concat();
    let made_of = |k| {
        let tries = [
            Op::SemTrywait(k, 1),
            Op::SkipUnless(1, 0, 3),
            Op::Early(1 + ALONE_TOO, 3),
            Op::SkipUnless(3, 0, 1),
            Op::TimedSemWait(k, 1),
        ];
        [&tries[..], &then(k)].concat()
    };
    let (as_meant, as_made) = (vec![meant_by(0), meant_by(1)], vec![made_of(0), made_of(1)]);
    let expected = meant(&as_meant, 1).expect("small");
    let loaded: Vec<_> = expected.iter().map(|last| [last.1[0], last.1[2]]).collect();
    assert_eq!(loaded, [[0, 1], [1, 0], [1, 1]]);
    for search in [SearchKind::Optimal, SearchKind::Classic, SearchKind::Dfs] {
        let found = |mutation| made(&as_made, search.clone(), mutation);
        assert_eq!(found(Mutation::None), expected, "{search:?}");
        let once = found(Mutation::DecidesOnce);
        let missed: Vec<_> = expected.difference(&once).collect();
        assert_eq!(missed.len(), 1, "{search:?} {once:?}");
        assert_eq!([missed[0].1[0], missed[0].1[2]], [1, 1]);
    }
}
