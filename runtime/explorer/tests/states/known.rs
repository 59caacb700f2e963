//! Counts of states and steps that an independent program found: the prototype in Python whose table is in the design
//! (STATES.md, section 10), which shares no code with this search.

use crate::brute::whole;
use crate::compared::search;
use crate::language::{Program, Status};
use crate::machine::Manner;
use crate::programs::*;
use dpor_explorer::states::Config;

/// A program; states and steps of the whole graph; of the reduced one; of the one with up to eight steps fused, where the
/// steps are those of its last round.
type Row = (&'static str, Program, [usize; 6]);

fn rows() -> Vec<Row> {
    vec![
        ("Peterson", peterson(), [268, 536, 268, 536, 186, 981]),
        ("spin lock 2", spin_lock(2), [7, 14, 7, 14, 4, 18]),
        ("spin lock 4", spin_lock(4), [13, 52, 13, 52, 8, 100]),
        (
            "robots 4",
            robots(4, false),
            [1_426, 2_760, 792, 1_123, 350, 1_484],
        ),
        (
            "robots 6",
            robots(6, false),
            [7_526, 14_840, 3_748, 5_223, 1_241, 6_833],
        ),
        (
            "robots 8",
            robots(8, false),
            [24_130, 47_880, 11_720, 16_139, 2_968, 21_185],
        ),
        (
            "robots 5 for ever",
            robots(5, true),
            [5_000, 10_000, 5_000, 10_000, 2_933, 27_011],
        ),
        (
            "ipc 1+1, 4 places",
            ipc(1, 1, 4),
            [73, 124, 73, 124, 47, 135],
        ),
        (
            "ipc 2+1, 4 places",
            ipc(2, 1, 4),
            [225, 528, 225, 528, 178, 578],
        ),
        (
            "philosophers 5",
            philosophers(5, false),
            [392, 1_415, 257, 455, 257, 581],
        ),
        (
            "philosophers 5, ordered",
            philosophers(5, true),
            [261, 876, 139, 230, 130, 277],
        ),
        ("workers 4", workers(4), [6_048, 22_464, 77, 83, 21, 79]),
        ("token ring 6", token_ring(6), [30, 30, 30, 30, 12, 30]),
        ("togglers 8", togglers(8), [256, 2_048, 16, 16, 16, 128]),
        ("SPSC ring 4", spsc(4), [372, 744, 372, 744, 200, 906]),
        (
            "SPSC ring 8",
            spsc(8),
            [3_562, 7_124, 3_562, 7_124, 2_411, 10_549],
        ),
    ]
}

#[test]
fn counts_are_those_of_the_prototype() {
    let mut wrong = Vec::new();
    for (name, program, expected) in rows() {
        let whole = whole(&program, usize::MAX).expect("no limit");
        let reduced = search(&program, &Config::default(), Manner::PLAIN);
        let graph = &reduced.explored.graph;
        let config = Config {
            fused_max: 8,
            ..Config::default()
        };
        let fused = search(&program, &config, Manner::PLAIN);
        let found = [
            whole.states.len(),
            whole.steps,
            graph.states(),
            graph.steps(),
            fused.explored.graph.states(),
            fused.explored.steps_of_last_round as usize,
        ];
        println!(
            "{name}: {found:?}, {} rounds, {} steps in all",
            reduced.explored.rounds, reduced.explored.steps
        );
        if found != expected {
            wrong.push(format!("{name}: {found:?}, not {expected:?}"));
        }
        for facts in [&reduced.facts, &fused.facts] {
            let differs = whole.facts.differs(facts);
            assert!(differs.is_empty(), "{name}: {differs:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// One Page calls `hook()` when a thread begins and behind each of its steps but the last. With its table of states each
/// step is executed once: 18, 32, 50, 72, 98, 128 calls for 3 to 8 steps (the paper's figures). The reduced graph has one
/// way.
#[test]
fn one_page_has_the_calls_of_the_paper() {
    for (n, calls) in [(3, 18), (4, 32), (5, 50), (6, 72), (7, 98), (8, 128)] {
        let program = one_page(n);
        let all = Config {
            reduces: false,
            ..Config::default()
        };
        let found = search(&program, &all, Manner::PLAIN);
        let behind = found
            .explored
            .graph
            .all()
            .flat_map(|id| found.explored.graph.edges(id));
        let mut machine = crate::machine::Machine::new(&program, Manner::PLAIN);
        let Ok(again) = dpor_explorer::states::explore(&mut machine, &all);
        let goes_on = behind.filter(|edge| {
            let after = &machine.states[again.graph.fingerprint(edge.target) as usize];
            after.threads[edge.thread.index()].status == Status::Runs
        });
        assert_eq!(2 + goes_on.count(), calls, "{n} steps each");
        let reduced = search(&program, &Config::default(), Manner::PLAIN);
        assert_eq!(reduced.explored.graph.steps(), 2 * n, "one way");
    }
}
