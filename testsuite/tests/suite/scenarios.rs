//! `dpor scenario`, and the verdicts of `dpor/scenario.h` on random objects against all interleavings.
//!
//! `DPOR_TEST_RANDOM=N` takes N objects instead of 150, `DPOR_TEST_SEED=N` begins at another seed.
//! `cargo xtask oracle --kind scenarios` takes many.

mod brute;
mod command;
mod emitted;
mod frameworks;
mod object;
mod promised;
mod states;

use brute::Question;
use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::random::Random;
use dpor_testsuite::tool::Tool;

/// Objects in a normal run.
const OBJECTS: u64 = 150;
/// Objects that are compiled at once.
const BATCH: u64 = 250;
/// Threads and calls of each, and steps of an operation at most: so that all interleavings can be run.
const SIZES: [(usize, usize, u64); 3] = [(2, 1, 3), (3, 1, 3), (2, 2, 2)];
const QUESTIONS: [(Question, &str); 4] = [
    (Question::Linearizable, "linearizable"),
    (Question::SequentiallyConsistent, "sequentially-consistent"),
    (Question::Linearizable, "linearizable"),
    (Question::Quiescent, "quiescent"),
];

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn random_objects_have_the_verdicts_of_brute_force() {
    let first = number("DPOR_TEST_SEED", 1);
    let count = number("DPOR_TEST_RANDOM", OBJECTS);
    let (mut done, mut explained, mut executions, mut wrong) = (0, 0, 0, Vec::new());
    while done < count {
        let tool = Tool::new("scenarios");
        let seeds: Vec<u64> = (0..BATCH.min(count - done))
            .map(|k| first + done + k)
            .collect();
        let size_of = |seed: u64| SIZES[(seed % 3) as usize];
        let objects = seeds
            .iter()
            .map(|&seed| object::object(&mut Random(seed), size_of(seed).2));
        let objects: Vec<object::Object> = objects.collect();
        let binary = tool.compile("scenarios", &object::text(objects.iter()), &[]);
        for (index, (seed, object)) in seeds.iter().zip(&objects).enumerate() {
            let (threads, calls, _) = size_of(*seed);
            let (question, word) = QUESTIONS[(seed / 3 % 4) as usize];
            let expected = brute::is_explained(object, threads, calls, question);
            let arguments = [
                index.to_string(),
                format!("--dpor-scenario={threads}x{calls}"),
                format!("--dpor-check={word}"),
            ];
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let report = tool
                .check(&binary, &["--minimize-time=0"], &arguments)
                .report;
            let is_verified = report.verdict == Verdict::Verified && report.findings.is_empty();
            let is_found = report.verdict == Verdict::Bug
                && report
                    .findings
                    .iter()
                    .all(|finding| finding.kind == FindingKind::NotLinearizable);
            if !(if expected { is_verified } else { is_found }) {
                let verdict = report.verdict;
                let what = format!(
                    "seed {seed}, {threads}x{calls}, {word}: {verdict}, where all interleavings are explained: \
                     {expected}\n{object:?}"
                );
                println!("{what}");
                wrong.push(what);
            }
            explained += u64::from(expected);
            executions += report.executions.total();
        }
        done += seeds.len() as u64;
    }
    println!("{done} programs, {explained} of them explained, {executions} executions");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(explained > done / 10 && explained < done * 9 / 10);
}
