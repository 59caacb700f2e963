//! Races under the reduction `commute`: one order of commuting updates stands for all.
//!
//! Random programs with plain accesses, atomics of every order and fences are explored twice. Without
//! the reduction every race of every execution is listed, by a happens-before written down naively (a
//! graph, closed transitively; it shares nothing with the detector). With it, the detector judges:
//!
//! - a race that it reports without doubt is one of the list;
//! - if it reports none at all, the list is empty;
//! - what the rule calls races, again by a graph, is the list, unless the detector has a doubt (and
//!   everything is repeated without the reduction). Then it is more.

mod interpreter;
mod naive;

use dpor_abi::order::{ACQUIRE, ACQ_REL, RELAXED, RELEASE, SEQ_CST};
use dpor_explorer::{Config, Explorer};
use dpor_model::{update, SiteId};
use dpor_races::{Judgement, Races};
use interpreter::{Machine, Op};
use std::collections::BTreeSet;

/// Two sites, the smaller one first.
type Pair = (SiteId, SiteId);

fn pair(a: SiteId, b: SiteId) -> Pair {
    (a.min(b), a.max(b))
}

/// What the reduced exploration found.
#[derive(Default, Debug)]
struct Found {
    certain: BTreeSet<Pair>,
    doubts: BTreeSet<Pair>,
    by_rule: BTreeSet<Pair>,
    executions: u64,
}

fn explore(machine: &mut Machine, commute: bool, mut ended: impl FnMut(&Machine)) -> Option<u64> {
    let mut config = Config::default();
    config.reductions.commute = commute;
    config.reductions.counters = commute;
    config.reductions.increments = commute;
    let mut explorer = Explorer::new(config);
    while explorer.next(machine).expect("a program").is_some() {
        ended(machine);
        if explorer.counters().executions() > 3_000 || explorer.gave_up_increments() {
            return None;
        }
    }
    Some(explorer.counters().executions())
}

fn all_races(threads: &[Vec<Op>]) -> Option<(u64, BTreeSet<Pair>)> {
    let mut all = BTreeSet::new();
    let mut machine = Machine::new(threads, Races::new(Judgement::C11), false);
    let executions = explore(&mut machine, false, |m| {
        all.extend(
            naive::races(&m.told, false)
                .iter()
                .map(|&(a, b)| pair(a, b)),
        );
    })?;
    Some((executions, all))
}

fn judged(threads: &[Vec<Op>], races: Races) -> Found {
    let mut found = Found::default();
    let mut machine = Machine::new(threads, races, true);
    let executions = explore(&mut machine, true, |m| {
        let by_rule = naive::races(&m.told, true);
        found
            .by_rule
            .extend(by_rule.iter().map(|&(a, b)| pair(a, b)));
        for race in &m.found {
            let pair = pair(race.earlier.site, race.later.site);
            match race.doubtful {
                true => found.doubts.insert(pair),
                false => found.certain.insert(pair),
            };
        }
    });
    found.executions = executions.expect("no more than without the reduction");
    found
}

/// Compares the reduced exploration with all races, and says in words what is wrong.
fn wrong(all: &BTreeSet<Pair>, found: &Found) -> Option<&'static str> {
    if !found.certain.is_subset(all) {
        Some("a false race")
    } else if found.doubts.is_empty() && found.certain.is_empty() && !all.is_empty() {
        Some("no race found")
    } else if !found.by_rule.is_superset(all) {
        Some("a race of another order is none by the rule")
    } else if found.doubts.is_empty() && found.by_rule != *all {
        Some("a race by the rule is none")
    } else {
        None
    }
}

struct Random(u64);

impl Random {
    /// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn order(&mut self) -> u32 {
        [RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST][self.below(5) as usize]
    }
}

/// Two to four threads, no more than one or two plain accesses each, so that some programs have none
/// or one racing pair.
fn program(random: &mut Random) -> Vec<Vec<Op>> {
    let threads = 2 + random.below(3);
    let budget = if threads == 4 { 3 } else { 4 };
    (0..threads)
        .map(|_| {
            let mut plain = 1 + random.below(2);
            (0..1 + random.below(budget) + plain)
                .map(|_| {
                    let x = random.below(2);
                    match random.below(20) {
                        0..6 if plain > 0 => {
                            plain -= 1;
                            match random.below(2) {
                                0 => Op::Read(random.below(2)),
                                _ => Op::Write(random.below(2)),
                            }
                        }
                        0..12 => {
                            let operator = match random.below(5) {
                                0 => update::OR,
                                1 => update::OTHER,
                                _ => update::ADD,
                            };
                            Op::Update(x, operator, random.order())
                        }
                        12..14 => Op::Load(x, random.order()),
                        14..16 => Op::Store(x, random.order()),
                        16 => Op::SkipUnless(random.below(2)),
                        _ => Op::Fence(random.order()),
                    }
                })
                .collect()
        })
        .collect()
}

#[test]
fn the_reduction_finds_what_all_orders_have() {
    let programs =
        std::env::var("DPOR_ORACLE_PROGRAMS").map_or(1_500, |n| n.parse().expect("a number"));
    let (mut done, mut racy, mut doubted, mut in_vain, mut saved) = (0u64, 0, 0, 0, 0);
    for seed in 1.. {
        if done == programs {
            break;
        }
        let threads = program(&mut Random(seed));
        let Some((executions, all)) = all_races(&threads) else {
            continue;
        };
        let found = judged(&threads, Races::new(Judgement::C11));
        if let Some(what) = wrong(&all, &found) {
            panic!("{what}, seed {seed}: {threads:#?}\nall {all:?}\n{found:?}");
        }
        done += 1;
        racy += u64::from(!all.is_empty());
        doubted += u64::from(!found.doubts.is_empty());
        in_vain += u64::from(!found.doubts.is_empty() && all.is_empty());
        saved += executions - found.executions;
    }
    println!("{done} programs, {racy} with races, {doubted} repeated, {in_vain} in vain; {saved} executions saved");
    assert!(
        racy < done * 19 / 20 && racy > done / 20,
        "programs of both kinds"
    );
    assert!(doubted > 0 && saved > done, "the reduction is used");
}

/// The test would notice a detector that lets the members of a run learn from each other.
#[test]
fn learning_within_runs_is_noticed() {
    let noticed = (1..2_000).find(|&seed| {
        let threads = program(&mut Random(seed));
        let Some((_, all)) = all_races(&threads) else {
            return false;
        };
        let mut races = Races::new(Judgement::C11);
        races.learn_within_runs();
        wrong(&all, &judged(&threads, races)).is_some()
    });
    println!("noticed in program {noticed:?}");
    assert!(noticed.is_some());
}

/// The execution that is run has the order that synchronizes; the other one races.
#[test]
fn hidden_in_the_order_that_is_run() {
    let add = |order| Op::Update(0, update::ADD, order);
    let threads = [
        vec![Op::Write(0), add(SEQ_CST)],
        vec![add(SEQ_CST), Op::Read(0)],
    ];
    let (executions, all) = all_races(&threads).expect("small");
    assert_eq!((executions, all.len()), (2, 1));
    let found = judged(&threads, Races::new(Judgement::C11));
    assert_eq!(
        (found.executions, found.certain.len(), found.doubts.len()),
        (1, 0, 1)
    );
}

/// A release sequence that ends before the run: its message is learned by members, without doubt.
#[test]
fn what_comes_before_the_run_is_learned() {
    let threads = [
        vec![Op::Write(0), Op::Store(0, RELEASE)],
        vec![
            Op::Load(0, RELAXED),
            Op::SkipUnless(1),
            Op::Update(0, update::ADD, ACQUIRE),
            Op::SkipUnless(1),
            Op::Read(0),
        ],
    ];
    let (_, all) = all_races(&threads).expect("small");
    let found = judged(&threads, Races::new(Judgement::C11));
    assert!(all.is_empty() && found.certain.is_empty() && found.doubts.is_empty());
}

/// Each of two updates that come last has to come behind one of two that come first, through other
/// variables: in every order one pair synchronizes, though neither has to. The doubt is in vain.
#[test]
fn ordered_in_every_order_by_different_pairs() {
    // Thread 0 writes, then lets 1 and 2 go; they release; 3 and 4 acquire, each behind the other cell's
    // release; 5 reads behind both.
    let go = |cell| vec![Op::Load(cell, ACQUIRE), Op::SkipAllUnless(1)];
    let after = |first: Vec<Op>, rest: &[Op]| [&first[..], rest].concat();
    let relaxed = |cell| vec![Op::Load(cell, RELAXED), Op::SkipAllUnless(1)];
    let release = |x| Op::Update(x, update::ADD, RELEASE);
    let acquire = |x| Op::Update(x, update::ADD, ACQUIRE);
    let threads = [
        vec![Op::Write(0), Op::Store(2, RELEASE)],
        after(go(2), &[release(0), Op::Store(4, RELAXED)]),
        after(go(2), &[release(1), Op::Store(5, RELAXED)]),
        after(relaxed(4), &[acquire(1), Op::Store(6, RELEASE)]),
        after(relaxed(5), &[acquire(0), Op::Store(7, RELEASE)]),
        after(after(go(6), &go(7)), &[Op::Read(0)]),
    ];
    let (_, all) = all_races(&threads).expect("small");
    let found = judged(&threads, Races::new(Judgement::C11));
    assert!(all.is_empty(), "{all:?}");
    assert!(
        found.certain.is_empty() && !found.doubts.is_empty(),
        "{found:?}"
    );
}

/// Cell of the counts of references.
const COUNT: u64 = 2;

/// Two or three threads that each have a reference, take more and drop them, perhaps look first, and access plain memory; who
/// is told that it had the last one may do so, too.
fn references(random: &mut Random) -> Vec<Vec<Op>> {
    let plain = |random: &mut Random| match random.below(3) {
        0 => Op::Write(0),
        _ => Op::Read(0),
    };
    let threads = 2 + random.below(2);
    let thread = |random: &mut Random| {
        let (mut ops, mut taken) = (Vec::new(), 1);
        for _ in 0..random.below(4) {
            match random.below(5) {
                0 => {
                    ops.push(Op::Update(COUNT, update::ADD, random.order()));
                    taken += 1;
                }
                1 if taken > 1 => {
                    ops.push(Op::Drop(COUNT, random.order()));
                    taken -= 1;
                }
                2 => ops.push(Op::Update(random.below(2), update::ADD, random.order())),
                3 => ops.push(Op::Load(random.below(2), random.order())),
                _ => ops.push(plain(random)),
            }
        }
        for _ in 0..taken {
            if random.below(2) == 0 {
                ops.push(Op::IsLast(COUNT, random.order()));
                match random.below(3) {
                    0 => ops.extend([Op::SkipUnless(1), plain(random)]),
                    1 => ops.extend([Op::SkipUnless(0), plain(random)]),
                    _ => {}
                }
            }
            ops.push(Op::Drop(COUNT, random.order()));
        }
        if random.below(2) == 0 {
            ops.push(Op::SkipUnless(1));
            ops.push(plain(random));
        }
        ops
    };
    (0..threads).map(|_| thread(random)).collect()
}

/// What is found of a program that counts references, by the detector without and with the reduction.
fn of_references(threads: &[Vec<Op>], races: Races) -> Option<(u64, BTreeSet<Pair>, Found)> {
    let mut all = BTreeSet::new();
    let mut initial = [0; 8];
    initial[COUNT as usize] = threads.len() as u64;
    let mut machine = Machine::new(threads, Races::new(Judgement::C11), false);
    machine.initial = initial;
    let executions = explore(&mut machine, false, |m| {
        let found = naive::races(&m.told, false);
        all.extend(found.iter().map(|&(a, b)| pair(a, b)));
    })?;
    let mut found = Found::default();
    let mut machine = Machine::new(threads, races, true);
    machine.initial = initial;
    found.executions = explore(&mut machine, true, |m| {
        for race in &m.found {
            let pair = pair(race.earlier.site, race.later.site);
            match race.doubtful {
                true => found.doubts.insert(pair),
                false => found.certain.insert(pair),
            };
        }
    })?;
    Some((executions, all, found))
}

fn is_wrong_of_references(all: &BTreeSet<Pair>, found: &Found) -> bool {
    let finds_nothing = found.doubts.is_empty() && found.certain.is_empty();
    !found.certain.is_subset(all) || (finds_nothing && !all.is_empty())
}

/// Increments, drops and looks that commute: no race that is none, and one, or a doubt, wherever there is one in any order.
#[test]
fn counts_of_references_hide_no_race() {
    let programs =
        std::env::var("DPOR_ORACLE_PROGRAMS").map_or(1_500, |n| n.parse().expect("a number"));
    let (mut done, mut racy, mut doubted, mut saved) = (0u64, 0, 0, 0);
    for seed in 1.. {
        if done == programs {
            break;
        }
        let threads = references(&mut Random(seed));
        let races = Races::new(Judgement::C11);
        let Some((executions, all, found)) = of_references(&threads, races) else {
            continue;
        };
        assert!(
            !is_wrong_of_references(&all, &found),
            "seed {seed}: {threads:#?}\nall {all:?}\n{found:?}"
        );
        done += 1;
        racy += u64::from(!all.is_empty());
        doubted += u64::from(!found.doubts.is_empty());
        saved += executions - found.executions;
    }
    println!("{done} programs, {racy} with races, {doubted} in doubt; {saved} executions saved");
    assert!(
        racy < done * 19 / 20 && racy > done / 20,
        "programs of both kinds"
    );
    assert!(doubted > 0 && saved > done, "the reduction is used");
}

/// The test would notice members of such a run, looks among them, that learn from each other.
#[test]
fn learning_from_references_is_noticed() {
    let noticed = (1..3_000).find(|&seed| {
        let threads = references(&mut Random(seed));
        let mut races = Races::new(Judgement::C11);
        races.learn_within_runs();
        let found = of_references(&threads, races);
        found.is_some_and(|(_, all, found)| is_wrong_of_references(&all, &found))
    });
    println!("noticed in program {noticed:?}");
    assert!(noticed.is_some());
}
