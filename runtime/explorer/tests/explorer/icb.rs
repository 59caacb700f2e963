//! Iterative context bounding as published: exactly the schedules with few enough preemptions, those with fewer
//! first.
//!
//! The oracle enumerates all schedules of tiny programs, without merging any, and counts the preemptions of each as it
//! goes. `DPOR_ORACLE_PROGRAMS` (400 unless set) and `DPOR_ORACLE_SEED` as in `oracle.rs`.

use crate::brute::State;
use crate::interpreter::{Interpreter, Op, Threads};
use crate::random::{program, Flavour, Random, FLAVOURS};
use dpor_explorer::{Config, Explorer, SearchKind};
use std::collections::{BTreeMap, HashSet};

/// Programs with more schedules are skipped.
const SCHEDULES_MAX: usize = 3_000;
/// Programs with longer schedules are skipped: cut to four operations for each thread, a loop may have no end.
const STEPS_MAX: usize = 100;
const BOUNDS: [u32; 4] = [0, 1, 2, 100];

type Schedule = Vec<(usize, u32)>;

/// Schedules with their preemptions.
#[derive(Default)]
struct All {
    schedules: BTreeMap<Schedule, u32>,
    /// Forms of beginnings, and of how many preemptions a maximal schedule with this beginning has at least.
    states: BTreeMap<u128, u32>,
}

/// False if there are too many.
fn enumerate(
    threads: &Threads,
    state: &State,
    schedule: &mut Schedule,
    preemptions: u32,
    forms: &mut Vec<u128>,
    all: &mut All,
) -> bool {
    if schedule.len() > STEPS_MAX {
        return false;
    }
    forms.push(state.form);
    let moves = state.moves(threads);
    if moves.is_empty() {
        all.schedules.insert(schedule.clone(), preemptions);
        for &form in forms.iter() {
            let least = all.states.entry(form).or_insert(preemptions);
            *least = preemptions.min(*least);
        }
    }
    let last = schedule.last().map(|step| step.0);
    for (thread, alternative) in moves {
        let left = last.filter(|&last| last != thread);
        let preempts = left.is_some_and(|last| state.could_go_on(threads, last));
        let mut after = state.clone();
        after.step(threads, thread, alternative);
        after.settle(threads);
        schedule.push((thread, alternative));
        let preemptions = preemptions + u32::from(preempts);
        let few = enumerate(threads, &after, schedule, preemptions, forms, all);
        schedule.pop();
        if !few || all.schedules.len() > SCHEDULES_MAX {
            return false;
        }
    }
    forms.pop();
    true
}

fn schedules(threads: &Threads) -> Option<All> {
    // Nothing commutes here that changes an object.
    let mut start = State::with(threads, false);
    start.settle(threads);
    let mut all = All::default();
    let few = enumerate(
        threads,
        &start,
        &mut Vec::new(),
        0,
        &mut Vec::new(),
        &mut all,
    );
    few.then_some(all)
}

/// True if every event touches an object, so that forms tell all beginnings apart.
fn has_objects_only(flavour: Flavour) -> bool {
    matches!(
        flavour,
        Flavour::Memory | Flavour::Mutex | Flavour::Rwlock | Flavour::Update | Flavour::Several
    )
}

fn compare(threads: &Threads, all: &All, bound: u32, states_too: bool) -> Result<(), String> {
    let mut config = Config::default();
    config.search = SearchKind::Icb;
    config.bound = Some(bound);
    config.checkpoint_after = 3;
    let mut explorer = Explorer::new(config);
    let mut program = Interpreter::new(threads);
    let mut seen: HashSet<Schedule> = HashSet::new();
    let mut present = 0;
    while let Some(_execution) = explorer.next(&mut program).map_err(|e| format!("{e:?}"))? {
        let steps = explorer.schedule().into_iter();
        let schedule: Schedule = steps.map(|(t, a)| (usize::from(t.0), a)).collect();
        let Some(&preemptions) = all.schedules.get(&schedule) else {
            return Err(format!("no schedule: {schedule:?}"));
        };
        if preemptions > bound || preemptions < present || explorer.bound() != Some(preemptions) {
            return Err(format!("{schedule:?} out of turn: {preemptions}"));
        }
        if explorer.preemptions() != preemptions as usize {
            return Err(format!("{schedule:?} is said to have another number"));
        }
        present = preemptions;
        if !seen.insert(schedule) {
            return Err("a schedule twice".to_owned());
        }
    }
    let within = all.schedules.values().filter(|&&n| n <= bound).count();
    if seen.len() != within {
        return Err(format!("{} of {within} schedules", seen.len()));
    }
    if explorer.leaves_some() != (within < all.schedules.len()) {
        return Err("wrong about what is left".to_owned());
    }
    for row in explorer.coverage() {
        let executions = all.schedules.values().filter(|&&n| n <= row.bound).count();
        let states = all.states.values().filter(|&&n| n <= row.bound).count();
        if row.executions != executions as u64 || (states_too && row.states != states as u64) {
            return Err(format!("{row:?}, but {executions} and {states}"));
        }
    }
    Ok(())
}

#[test]
fn runs_each_schedule_within_the_bound_once() {
    let setting = |name: &str, or: u64| {
        std::env::var(name).map_or(or, |value| value.parse().expect("a number"))
    };
    let programs = setting("DPOR_ORACLE_PROGRAMS", 400);
    let (mut done, mut at) = (0, setting("DPOR_ORACLE_SEED", 0));
    let (mut count, mut with_states) = (0, 0);
    while done < programs {
        at += 1;
        let flavour = FLAVOURS[(at % FLAVOURS.len() as u64) as usize];
        let mut threads = program(&mut Random(at), flavour);
        // Tiny.
        for thread in &mut threads {
            thread.truncate(4);
        }
        let Some(all) = schedules(&threads) else {
            continue;
        };
        let states_too = has_objects_only(flavour);
        for bound in BOUNDS {
            let same = compare(&threads, &all, bound, states_too);
            same.unwrap_or_else(|why| {
                panic!("{flavour:?}, seed {at}, bound {bound}: {why}\n{threads:?}")
            });
        }
        done += 1;
        count += all.schedules.len();
        with_states += u64::from(states_too);
    }
    println!(
        "{done} programs, {count} schedules, states of {with_states}, {} skipped",
        at - done
    );
    assert!(with_states > 0);
}

/// Two threads of two steps each that do not conflict: 1122 and 2211 have no preemption, 1221 and 2112 one, 1212 and
/// 2121 two. All six are run, since there is no reduction. States: a beginning says how many steps each made, from
/// (0,0) to (2,2): nine. Without preemption: all but (1,1), (1,2)…: 1122 goes by (0,0) (1,0) (2,0) (2,1) (2,2), 2211 by
/// (0,0) (0,1) (0,2) (1,2) (2,2), together eight; 1221 adds (1,1).
#[test]
fn two_by_two() {
    let threads: Threads = (0..2)
        .map(|x| vec![Op::Store(x, 1), Op::Store(x, 2)])
        .collect();
    let mut config = Config::default();
    config.search = SearchKind::Icb;
    let mut explorer = Explorer::new(config);
    let mut program = Interpreter::new(&threads);
    while explorer
        .next(&mut program)
        .expect("deterministic")
        .is_some()
    {}
    let rows = explorer.coverage().into_iter();
    let rows: Vec<_> = rows
        .map(|row| (row.bound, row.executions, row.states))
        .collect();
    assert_eq!(rows, [(0, 2, 8), (1, 4, 9), (2, 6, 9)]);
}
