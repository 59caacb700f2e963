//! How much faster many workers are, in simulated time.
//!
//! `cargo xtask simulate` prints the tables of docs/scaling.md; the tests that always run take seconds.
//! `DPOR_SIMULATE_TREE` names one tree, `DPOR_SIMULATE_WORKERS` numbers of workers with commas between,
//! `DPOR_SIMULATE_NETWORK` puts each worker on a machine of its own.

mod cost;
mod script;
mod simulation;

use cost::Costs;
use script::{bounded_buffer, indexer, lastzero, lock, Script};
use simulation::{alone, simulate, Asks, Policy, Run};

const EVERY: [usize; 10] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// A tree, and the processor seconds that the tool takes for it alone (docs/bench.md, 2026-11-22), if
/// that was measured.
fn trees() -> Vec<(Script, Option<f64>)> {
    vec![
        (indexer(16), Some(1.001)),
        (lastzero(15), Some(2.223)),
        (bounded_buffer(3), None),
        (lock(4, 3), Some(2.307)),
        (lock(3, 5), None),
    ]
}

/// Trees that take minutes to simulate.
fn long_trees() -> Vec<(Script, Option<f64>)> {
    vec![(bounded_buffer(4), Some(55.1)), (lock(3, 6), None)]
}

/// The time that one worker takes, in seconds, and the costs of its operations.
fn costs(script: &Script, measured: Option<f64>) -> (f64, Costs) {
    let one = alone(script);
    let costs = match measured {
        Some(seconds) => Costs::scaled(one, seconds),
        None => Costs::ON_ONE_MACHINE,
    };
    (costs.of(one) / 1e9, costs)
}

fn speed_up(alone: f64, run: &Run) -> f64 {
    alone / run.seconds
}

fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[test]
#[ignore = "prints tables, for minutes"]
fn curves() {
    let only = setting("DPOR_SIMULATE_TREE");
    let workers = setting("DPOR_SIMULATE_WORKERS").map_or(EVERY.to_vec(), |list| {
        let numbers = list.split(',');
        numbers.map(|n| n.parse().expect("a number")).collect()
    });
    let is_long = only.is_some();
    let mut all = trees();
    all.extend(long_trees().into_iter().filter(|_| is_long));
    println!("| tree | executions | alone, s | workers | s | speed-up | of ideal | work | without work | messages per 1000 | of them to one | gifts | refused | MB |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (script, measured) in all {
        if only.as_ref().is_some_and(|only| *only != script.name) {
            continue;
        }
        let (alone, mut costs) = costs(&script, measured);
        if setting("DPOR_SIMULATE_NETWORK").is_some() {
            costs = costs.over_network();
        }
        for &workers in &workers {
            let run = simulate(&script, workers, costs, Policy::of(workers));
            let work = costs.of(run.counters) / 1e9 / alone;
            row(&script, (alone, work), workers, &run);
        }
    }
}

/// `work`: what all workers did for executions, over what one does.
fn row(script: &Script, (alone, work): (f64, f64), workers: usize, run: &Run) {
    let faster = speed_up(alone, run);
    let Run { traffic, .. } = run;
    println!(
        "| {} | {} | {alone:.2} | {workers} | {:.4} | {faster:.1} | {:.2} | {work:.2} | {:.0} % | {:.1} | {:.0} % | {} | {} | {:.1} |",
        script.name,
        script.executions,
        run.seconds,
        faster / workers as f64,
        100.0 * run.idle_share,
        1000.0 * traffic.messages() as f64 / script.executions as f64,
        100.0 * run.most_received as f64 / traffic.messages().max(1) as f64,
        traffic.work,
        traffic.refused,
        traffic.bytes as f64 / 1e6,
    );
}

/// Whom to ask, how much to give, and whether to rest.
#[test]
#[ignore = "prints a table, for minutes"]
fn policies() {
    let script = lock(3, 5);
    let (alone, costs) = costs(&script, None);
    println!("| asks | gifts | rest, us | workers | speed-up | requests | refused | all had something, ms |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for (asks, gifts, rest) in [
        (Asks::NextBusy, 1, 0),
        (Asks::NextBusy, 4, 0),
        (Asks::AnyBusy, 1, 0),
        (Asks::AnyBusy, 4, 0),
        (Asks::AnyBusy, 1, 20_000),
        (Asks::AnyBusy, 1, 100_000),
        (Asks::Any, 1, 0),
        (Asks::Any, 1, 20_000),
    ] {
        for workers in [64, 1024] {
            let run = simulate(&script, workers, costs, Policy { asks, gifts, rest });
            println!(
                "| {asks:?} | {gifts} | {} | {workers} | {:.1} | {} | {} | {} |",
                rest / 1000,
                speed_up(alone, &run),
                run.traffic.steals,
                run.traffic.refused,
                run.all_busy
                    .map_or("never".to_owned(), |s| format!("{:.1}", s * 1e3)),
            );
        }
    }
}

/// The scripts are the programs they stand for: known numbers of executions ([`alone`] compares), and as
/// many new events as the tool reports for the real ones (docs/bench.md), but for the creations of
/// threads, which the real ones have once.
#[test]
fn scripts_are_the_programs() {
    for (script, creations, events) in [
        (indexer(16), 16, 439_396),
        (lastzero(15), 16, 2_076_687),
        (lock(4, 3), 4, 2_215_396),
    ] {
        assert_eq!(alone(&script).events + creations, events, "{}", script.name);
    }
}

/// A search by one simulated worker takes exactly the time of the search without workers.
#[test]
fn one_worker_is_as_fast_as_one() {
    let script = lock(3, 3);
    let (alone, costs) = costs(&script, None);
    let run = simulate(&script, 1, costs, Policy::REAL);
    assert!((run.seconds / alone - 1.0).abs() < 0.001, "{run:?}");
    assert_eq!(run.traffic.messages(), 0);
}

/// Threads with locks hardly send anything, so that 16 workers have to be nearly 16 times as fast. (How
/// fast they may be: never more than 16 times, since a worker does not do less than its part.)
#[test]
fn sixteen_workers_on_locks() {
    let script = lock(3, 4);
    let (alone, costs) = costs(&script, None);
    let run = simulate(&script, 16, costs, Policy::REAL);
    let faster = speed_up(alone, &run);
    assert!((12.0..=16.0).contains(&faster), "{faster}: {run:?}");
    assert!(run.all_busy.is_some_and(|s| s < 0.002), "{run:?}");
}

/// Threads that hardly conflict: nearly each execution has something to say to others.
#[test]
fn four_workers_without_locks() {
    let script = lastzero(10);
    let (alone, costs) = costs(&script, None);
    let run = simulate(&script, 4, costs, Policy::REAL);
    let faster = speed_up(alone, &run);
    assert!(faster > 2.0, "{faster}: {run:?}");
    assert!(
        run.traffic.inserts > 0 && run.traffic.forwards > 0,
        "{run:?}"
    );
}

/// Everything is counted and freed at the end also if messages are slow: [`simulate`] compares.
#[test]
fn slow_messages() {
    for script in [lock(3, 3), lastzero(8), indexer(13), bounded_buffer(2)] {
        let costs = Costs::ON_ONE_MACHINE.over_network();
        for workers in [3, 40] {
            simulate(&script, workers, costs, Policy::of(workers));
            simulate(&script, workers, costs, Policy::RESTING);
        }
    }
}
