//! Random programs and beginnings of their executions: the search runs exactly the traces that brute force finds
//! after the beginning, each once.
//!
//! The beginnings of one random schedule of each program are all tried, from none of its events to all, and at
//! each of them what can come there instead of the event that comes. `DPOR_ORACLE_PROGRAMS` sets how many programs
//! (400 unless set), `DPOR_ORACLE_SEED` the first seed, `DPOR_ORACLE_FLAVOUR` one flavour.

use crate::brute;
use crate::brute::{Crowded, State};
use crate::compare::{compare, compare_search, config, Defects};
use crate::interpreter::{Interpreter, Threads};
use crate::random::{program, shrink, Flavour, Random, FLAVOURS};
use dpor_explorer::{
    Config, Continuation, End, Explorer, Fault, Mutation, Order, Prefix, SearchKind,
};
use dpor_model::ThreadId;
use std::collections::HashMap;

/// Programs with more moves in their merged state space are skipped, as in `oracle.rs`.
const MOVES_MAX: usize = 4_000;

type Decision = (usize, u32);

fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|value| value.parse().expect("a number"))
}

/// The state after some decisions.
fn after(threads: &Threads, commute: bool, crowded: Option<&Crowded>, begin: &[Decision]) -> State {
    let state = State::with(threads, commute);
    let mut state = match crowded {
        Some(crowded) => state.crowding(crowded),
        None => state,
    };
    state.settle(threads);
    for &(thread, alternative) in begin {
        state.step(threads, thread, alternative);
        state.settle(threads);
    }
    state
}

/// A random schedule, to its end.
fn schedule(threads: &Threads, random: &mut Random) -> Vec<Decision> {
    let mut decisions = Vec::new();
    loop {
        let moves = after(threads, true, None, &decisions).moves(threads);
        if moves.is_empty() {
            return decisions;
        }
        decisions.push(random.pick(&moves));
    }
}

/// The traces that begin in one of these ways. `None`: too many.
fn traces(
    threads: &Threads,
    commute: bool,
    begins: &[Vec<Decision>],
) -> Option<HashMap<u128, State>> {
    // Who uses which barrier is not known yet.
    let mut users = Vec::new();
    for begin in begins {
        let start = after(threads, commute, Some(&Crowded::Any), begin);
        let all = brute::traces_from(start, threads, MOVES_MAX)?;
        users.extend(all.into_values().next().map(|any| any.crowded));
    }
    let crowded = users.first()?;
    // The search learns of crowds for all of them at once.
    if users
        .iter()
        .any(|other| other.barriers() != crowded.barriers())
    {
        return None;
    }
    let mut together = HashMap::new();
    for begin in begins {
        let start = after(threads, commute, Some(crowded), begin);
        together.extend(brute::traces_from(start, threads, MOVES_MAX)?);
    }
    Some(together)
}

/// What can come after a beginning instead of a step of `unwanted`.
fn others(threads: &Threads, begin: &[Decision], unwanted: usize) -> Vec<Decision> {
    let state = after(threads, true, None, begin);
    let running = begin.last().map(|&(thread, _)| thread);
    let stays = running.filter(|&running| state.could_go_on(threads, running));
    let mut moves = state.moves(threads);
    moves
        .retain(|&(thread, _)| thread != unwanted && stays.is_none_or(|running| running == thread));
    moves
}

fn begun(
    decisions: &[Decision],
    continuation: Continuation,
    order: Order,
    commute: bool,
) -> Config {
    let decisions = decisions.iter().map(|&(t, a)| (ThreadId(t as u16), a));
    let mut config = config(order, Mutation::None, true);
    config.reductions.commute = commute;
    // It is off with a beginning, whatever is asked for.
    config.reductions.observers = true;
    config.prefix = Some(Prefix {
        decisions: decisions.collect(),
        continuation,
    });
    config
}

/// Everything after a beginning: each trace once.
fn anything(
    threads: &Threads,
    begin: &[Decision],
    order: Order,
    commute: bool,
) -> Option<(usize, Defects)> {
    let expected = traces(threads, commute, &[begin.to_vec()])?;
    let config = begun(begin, Continuation::Any, order, commute);
    Some((expected.len(), compare(threads, &expected, config)))
}

/// Everything but what comes: each trace at least once, and none that does not begin so.
fn instead(
    threads: &Threads,
    begin: &[Decision],
    unwanted: usize,
    order: Order,
    commute: bool,
) -> Option<(usize, Defects)> {
    let others = others(threads, begin, unwanted);
    let longer = |&other: &Decision| begin.iter().copied().chain([other]).collect();
    let begins: Vec<Vec<Decision>> = others.iter().map(longer).collect();
    let config = begun(
        begin,
        Continuation::Without(ThreadId(unwanted as u16)),
        order,
        commute,
    );
    let mut explorer = Explorer::new(config);
    if begins.is_empty() {
        return Some((0, runs_nothing(threads, explorer)));
    }
    let expected = traces(threads, commute, &begins)?;
    let mut defects = compare_search(threads, commute, &expected, &mut explorer);
    if begins.len() > 1 {
        defects.duplicate = 0;
    }
    Some((expected.len(), defects))
}

/// There is nothing to explore, and the search says so.
fn runs_nothing(threads: &Threads, mut explorer: Explorer) -> Defects {
    let mut program = Interpreter::new(threads);
    let mut ends = Vec::new();
    while let Ok(Some(execution)) = explorer.next(&mut program) {
        ends.push(execution.end);
    }
    Defects {
        extra: usize::from(!matches!(ends[..], [End::Redundant])),
        ..Defects::default()
    }
}

/// The first beginning with which something is wrong, and how many traces there were.
fn trial(threads: &Threads, seed: u64) -> Option<(usize, Defects)> {
    let mut random = Random(seed);
    let decisions = schedule(threads, &mut random);
    let commute = !random.percent(30);
    let order = match random.percent(50) {
        true => Order::Leftmost,
        false => Order::Random(seed),
    };
    let mut count = 0;
    for length in 0..=decisions.len() {
        let begin = &decisions[..length];
        let next = decisions.get(length);
        let next = next.map(|&(thread, _)| instead(threads, begin, thread, order, commute));
        for (traces, defects) in [anything(threads, begin, order, commute), next.flatten()]
            .into_iter()
            .flatten()
        {
            count += traces;
            if defects.any() {
                return Some((count, defects));
            }
        }
    }
    Some((count, Defects::default()))
}

fn campaign(flavours: &[Flavour], programs: u64, seed: u64) {
    let (mut done, mut traces, mut at) = (0, 0, seed);
    while done < programs {
        at += 1;
        let flavour = flavours[(at % flavours.len() as u64) as usize];
        let threads = program(&mut Random(at), flavour);
        if brute::traces(&threads, MOVES_MAX).is_none() {
            continue;
        }
        let Some((count, defects)) = trial(&threads, at) else {
            continue;
        };
        if defects.any() {
            let kind =
                |d: &Defects| [d.missed, d.extra, d.duplicate, d.fault, d.misnamed].map(|n| n > 0);
            let fails = |t: &Threads| trial(t, at).is_some_and(|(_, d)| kind(&d) == kind(&defects));
            let small = shrink(threads, fails);
            let again = trial(&small, at);
            panic!("{flavour:?}, seed {at}: {defects:?}\nsmaller: {small:?}\n{again:?}");
        }
        done += 1;
        traces += count;
    }
    println!("{done} programs, {traces} traces after beginnings");
}

#[test]
fn explores_what_comes_after_a_beginning() {
    let flavour = std::env::var("DPOR_ORACLE_FLAVOUR").ok();
    let all = FLAVOURS.iter().copied();
    let chosen: Vec<Flavour> = all
        .filter(|f| flavour.as_ref().is_none_or(|n| *n == format!("{f:?}")))
        .collect();
    let programs = setting("DPOR_ORACLE_PROGRAMS").unwrap_or(400);
    campaign(&chosen, programs, setting("DPOR_ORACLE_SEED").unwrap_or(0));
}

#[test]
fn other_searches_refuse_a_beginning() {
    let threads = program(&mut Random(1), Flavour::Memory);
    let refuses = |change: &dyn Fn(&mut Config)| {
        let mut config = begun(&[], Continuation::Any, Order::Leftmost, true);
        change(&mut config);
        let first = Explorer::new(config).next(&mut Interpreter::new(&threads));
        assert!(matches!(first, Err(Fault::PrefixUnsupported)), "{first:?}");
    };
    refuses(&|config| config.search = SearchKind::Dfs);
    refuses(&|config| config.search = SearchKind::Classic);
    refuses(&|config| config.search = SearchKind::Icb);
    refuses(&|config| config.bound = Some(1));
    refuses(&|config| config.iterative = true);
}
