//! Threads that are alike: of all executions that differ in their names only, at least one is run, and
//! no trace twice. Brute force runs all of them; its canonical form is computed once for every way to
//! name the threads, and the least of them stands for all.

use crate::brute::State;
use crate::compare;
use crate::interpreter::{Interpreter, Op, Threads};
use crate::random::{piece, shrink, Flavour, Random};
use dpor_explorer::{Explorer, Fault, Mutation, Order};
use std::collections::{HashMap, HashSet};

const X: usize = 0;
const Y: usize = 1;
const R: usize = 0;

/// All ways to rename threads that were created one after the other with the same body.
fn namings(threads: &Threads) -> Vec<Vec<usize>> {
    let mut families: Vec<Vec<usize>> = Vec::new();
    for body in threads {
        for pair in body.windows(2) {
            if let [Op::Create(a), Op::Create(b)] = *pair {
                if threads[a] == threads[b] {
                    match families.iter_mut().find(|family| family.contains(&a)) {
                        Some(family) => family.push(b),
                        None => families.push(vec![a, b]),
                    }
                }
            }
        }
    }
    let mut all = vec![(0..threads.len()).collect::<Vec<_>>()];
    for family in families {
        for i in 0..family.len() {
            for j in i + 1..family.len() {
                // Every permutation is a product of exchanges of later members with earlier ones.
                let exchanged: Vec<_> = all
                    .iter()
                    .map(|names| {
                        let mut names = names.clone();
                        names.swap(family[i], family[j]);
                        names
                    })
                    .collect();
                all.extend(exchanged);
            }
        }
        all.sort();
        all.dedup();
    }
    all
}

/// A trace whatever its threads are called.
fn orbit(threads: &Threads, namings: &[Vec<usize>], schedule: &[(usize, u32)]) -> u128 {
    let form = |names: &Vec<usize>| run(threads, names.clone(), schedule).form;
    namings.iter().map(form).min().expect("a naming")
}

fn run(threads: &Threads, names: Vec<usize>, schedule: &[(usize, u32)]) -> State {
    let mut state = State::new(threads).renamed(names);
    state.settle(threads);
    for &(t, alternative) in schedule {
        state.step(threads, t, alternative);
        state.settle(threads);
    }
    state
}

/// Every trace: its form and a schedule. `None`: too many.
fn all_traces(threads: &Threads, most: usize) -> Option<HashMap<u128, Vec<(usize, u32)>>> {
    let identity = (0..threads.len()).collect::<Vec<_>>();
    let start = run(threads, identity, &[]);
    let mut level = HashMap::from([(start.form, (start, Vec::new()))]);
    let mut done = HashMap::new();
    let mut moves = 0;
    while !level.is_empty() {
        let mut next = HashMap::new();
        for (form, (state, schedule)) in level {
            let all = state.moves(threads);
            moves += all.len();
            if moves > most {
                return None;
            }
            if all.is_empty() {
                done.insert(form, schedule);
                continue;
            }
            for (t, alternative) in all {
                let mut after: State = state.clone();
                after.step(threads, t, alternative);
                after.settle(threads);
                let mut longer: Vec<_> = schedule.clone();
                longer.push((t, alternative));
                next.insert(after.form, (after, longer));
            }
        }
        level = next;
    }
    Some(done)
}

#[derive(Default, Debug, PartialEq, Eq)]
struct Found {
    traces: usize,
    orbits: usize,
    executions: usize,
    missed: usize,
    duplicate: usize,
    extra: usize,
    redundant: u64,
    fault: Option<Fault>,
}

impl Found {
    fn is_wrong(&self) -> bool {
        let Found {
            missed,
            duplicate,
            extra,
            redundant,
            ..
        } = *self;
        missed + duplicate + extra > 0 || redundant > 0 || self.fault.is_some()
    }
}

fn explore(threads: &Threads, order: Order, mutation: Mutation, lies: bool) -> Option<Found> {
    let traces = all_traces(threads, 20_000)?;
    let namings = namings(threads);
    let orbits: HashSet<u128> = traces
        .values()
        .map(|schedule| orbit(threads, &namings, schedule))
        .collect();
    let mut config = compare::config(order, mutation, true);
    config.reductions.symmetry = true;
    let mut program = Interpreter::new(threads);
    program.all_alike = lies;
    let mut explorer = Explorer::new(config);
    let mut found = Found {
        traces: traces.len(),
        orbits: orbits.len(),
        ..Found::default()
    };
    let (mut seen, mut forms) = (HashSet::new(), HashSet::new());
    loop {
        match explorer.next(&mut program) {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(fault) => {
                found.fault = Some(fault);
                break;
            }
        }
        let schedule = explorer.schedule();
        let schedule: Vec<_> = schedule
            .iter()
            .map(|&(t, a)| (usize::from(t.0), a))
            .collect();
        let form = run(threads, namings[0].clone(), &schedule).form;
        seen.insert(orbit(threads, &namings, &schedule));
        found.extra += usize::from(!traces.contains_key(&form));
        found.duplicate += usize::from(!forms.insert(form));
        found.executions += 1;
        if found.executions > 10 * traces.len() + 100 {
            break;
        }
    }
    found.redundant = explorer.counters().redundant;
    found.missed = orbits.difference(&seen).count();
    Some(found)
}

/// Main creates so many threads with this body one after the other, and joins them.
fn copies(count: usize, body: &[Op], rest: &[Vec<Op>]) -> Threads {
    let first = 1 + rest.len();
    let family = first..first + count;
    let mut main: Vec<Op> = family.clone().map(Op::Create).collect();
    main.extend(family.map(Op::Join));
    let mut threads = vec![main];
    threads.extend(rest.iter().cloned());
    threads.extend(vec![body.to_vec(); count]);
    threads
}

#[track_caller]
fn check(threads: &Threads, traces: usize, executions: usize) {
    let found = explore(threads, Order::Leftmost, Mutation::None, false).expect("small");
    assert!(!found.is_wrong(), "{found:?}");
    assert_eq!(
        (found.traces, found.executions),
        (traces, executions),
        "{found:?}"
    );
}

/// Take a ticket, wait until it is called, call the next one. Each order of the tickets is a trace.
#[test]
fn ticket_lock() {
    let body = [
        Op::FetchAdd(X, 1, R),
        Op::Load(Y, 1),
        Op::Assume(1, 0),
        Op::FetchAdd(Y, 1, 1),
    ];
    // Both find 0 and go on, or the first to go on keeps the other out: brute force says how many.
    let found = explore(
        &copies(2, &body, &[]),
        Order::Leftmost,
        Mutation::None,
        false,
    )
    .expect("small");
    assert!(!found.is_wrong(), "{found:?}");
    assert_eq!(2 * found.executions, found.traces, "{found:?}");
    // With the tickets alone: n! orders, one but for names.
    check(&copies(2, &[Op::FetchAdd(X, 1, R)], &[]), 2, 1);
    check(&copies(4, &[Op::FetchAdd(X, 1, R)], &[]), 24, 1);
}

/// The first events are twins: both threads look at the flag before it is raised, both after, or one
/// before and one after, which is two traces that differ in names; then they write in one of two
/// orders. Of 4 * 2 traces, (before, after) is not restricted again: 1 + 1 + 2.
#[test]
fn difference_after_twins() {
    let raise = vec![Op::Store(Y, 1)];
    check(
        &copies(2, &[Op::Load(Y, R), Op::FetchAdd(X, 1, 1)], &[raise]),
        8,
        4,
    );
}

/// The order of two locks is two differences. Which thread is first at the one, and whether it is the
/// same at the other: 4 traces, 2 but for names. Ordering both pairs of events would keep one.
#[test]
fn two_locks() {
    let body = [Op::Lock(0), Op::Unlock(0), Op::Lock(1), Op::Unlock(1)];
    let threads = copies(2, &body, &[]);
    let found = explore(&threads, Order::Leftmost, Mutation::None, false).expect("small");
    assert!(
        !found.is_wrong() && found.executions * 2 == found.traces,
        "{found:?}"
    );
    let wrong = explore(&threads, Order::Leftmost, Mutation::OrderedTwins, false).expect("small");
    assert!(wrong.missed > 0, "{wrong:?}");
}

/// A thread that looks at a cell of its own is not like the other, and shows it.
#[test]
fn unlike_threads_are_noticed() {
    let mut threads = copies(2, &[Op::Load(X, R)], &[]);
    threads[2] = vec![Op::Load(Y, R)];
    let found = explore(&threads, Order::Leftmost, Mutation::None, true).expect("small");
    assert!(
        matches!(found.fault, Some(Fault::Unlike { .. })),
        "{found:?}"
    );
}

/// Main does something between the joins: the first to end is known by name. Exchanging the names
/// makes no execution, so the reduction must be given up.
#[test]
fn something_between_the_joins() {
    let body = [Op::FetchAdd(X, 1, R), Op::Load(Y, 1)];
    let between = |op: Op| {
        let mut threads = copies(2, &body, &[]);
        threads[0].insert(3, op);
        let found = explore(&threads, Order::Leftmost, Mutation::None, false).expect("small");
        matches!(found.fault, Some(Fault::Unlike { .. }))
    };
    assert!(between(Op::Store(Y, 1)) && between(Op::Plain(9, 1)));
    // One is never joined.
    let mut threads = copies(2, &body, &[]);
    threads[0].truncate(3);
    let found = explore(&threads, Order::Leftmost, Mutation::None, false).expect("small");
    assert!(found.fault.is_some(), "{found:?}");
    threads[0].push(Op::JoinAll);
    let found = explore(&threads, Order::Leftmost, Mutation::None, false).expect("small");
    assert!(!found.is_wrong(), "{found:?}");
}

const BODIES: [Flavour; 7] = [
    Flavour::Memory,
    Flavour::Mutex,
    Flavour::Condvar,
    Flavour::Rwlock,
    Flavour::Choose,
    Flavour::Update,
    Flavour::Mix,
];

fn program(r: &mut Random) -> Threads {
    let flavour = r.pick(&BODIES);
    let count = r.pick(&[2, 2, 3]);
    let pieces = if count == 2 { 3 } else { 2 };
    let some = |r: &mut Random, pieces: usize| -> Vec<Op> {
        // What names a thread tells it apart from the others.
        (0..1 + r.below(pieces))
            .flat_map(|_| piece(r, flavour, 1))
            .map(|op| match op {
                Op::SignalTo(c, _) => Op::Signal(c),
                other => other,
            })
            .collect()
    };
    let mut body = match r.percent(40) {
        true => vec![r.pick(&[
            Op::Load(X, R),
            Op::Load(Y, 1),
            Op::RwRead(0),
            Op::Choose(2, R),
        ])],
        false => vec![],
    };
    body.extend(some(r, pieces));
    let rest = match r.below(3) {
        0 => vec![],
        _ => vec![some(r, 2)],
    };
    let mut threads = copies(count, &body, &rest);
    if r.percent(30) {
        let before = some(r, 1);
        threads[0].splice(0..0, before);
    } else if r.percent(30) {
        let after = some(r, 1);
        threads[0].extend(after);
    } else if r.percent(20) {
        threads[0].truncate(count);
        threads[0].extend(some(r, 1));
    }
    threads
}

#[test]
fn random_programs() {
    let programs =
        std::env::var("DPOR_ORACLE_PROGRAMS").map_or(200, |n| n.parse().expect("a number"));
    let (mut done, mut traces, mut orbits, mut executions) = (0, 0, 0, 0);
    for seed in 1.. {
        if done == programs {
            break;
        }
        let threads = program(&mut Random(seed));
        let trial = |threads: &Threads| {
            [Order::Leftmost, Order::Random(seed)]
                .map(|order| explore(threads, order, Mutation::None, false))
        };
        let [Some(first), Some(second)] = trial(&threads) else {
            continue;
        };
        if first.is_wrong() || second.is_wrong() {
            let fails = |t: &Threads| {
                let joins =
                    |t: &Threads| t[0].iter().filter(|op| matches!(op, Op::Join(_))).count();
                t[0].contains(&Op::Create(t.len() - 1))
                    && joins(t) == joins(&threads)
                    && trial(t).into_iter().flatten().any(|found| found.is_wrong())
            };
            panic!(
                "seed {seed}: {first:?} {second:?}\n{:?}",
                shrink(threads.clone(), fails)
            );
        }
        done += 1;
        traces += first.traces;
        orbits += first.orbits;
        executions += first.executions;
    }
    println!("{done} programs, {traces} traces, {orbits} but for names, {executions} executions");
    assert!(
        executions * 10 < traces * 7,
        "the reduction was hardly used"
    );
}

#[test]
fn ordered_twins_are_noticed() {
    let noticed = (1..500).find(|&seed| {
        let threads = program(&mut Random(seed));
        let found = explore(&threads, Order::Leftmost, Mutation::OrderedTwins, false);
        found.is_some_and(|found| found.missed > 0)
    });
    println!("noticed in program {noticed:?}");
    assert!(noticed.is_some());
}
