//! `dpor scenario`, and the verdicts of `dpor/scenario.h` on random objects against all interleavings.
//!
//! `DPOR_TEST_RANDOM=N` takes N objects instead of 150, `DPOR_TEST_SEED=N` begins at another seed.
//! `cargo xtask oracle --kind scenarios` takes many.

mod brute;
mod command;
mod emitted;
mod frameworks;
mod interpreted;
mod object;
mod promised;
mod published;
mod states;
mod wait_free;

use brute::Question;
pub use command::source;
use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::random::Random;
use dpor_testsuite::tool::Tool;
use std::path::PathBuf;

/// Objects in a normal run.
const OBJECTS: u64 = 150;
/// Objects of a batch, whose code is compiled at once.
const BATCH: u64 = 1000;
/// One of so many objects is compiled as straight-line code, which is what users have; the others are data of one program
/// (chosen: what is compiled takes a tenth of the time then. 3 and 4 do not divide it: all sizes and questions are compiled).
const COMPILED: u64 = 7;
/// One of so many is searched with all reductions that are on by default. With `observers` an execution takes three times as
/// long (measured: 62 and 190 µs); a search of straight-line code gives that reduction up by itself.
const ALL_REDUCTIONS: u64 = 5;
const WITHOUT_OBSERVERS: &str = "--reductions=commute,counters,calls";
/// Options that change nothing but what is told of a finding: no shorter way to it, and no second run for the calls that led
/// there (it would find other files then).
const QUIETLY: [&str; 2] = ["--minimize-time=0", "--commit-files"];
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
    let mut compiled = 0;
    let tool = Tool::new("scenarios");
    // Without debug information, which nobody asks for here.
    let of_data = tool.compile("interpreted", interpreted::TEXT, &["-g0"]);
    while done < count {
        let seeds: Vec<u64> = (0..BATCH.min(count - done))
            .map(|k| first + done + k)
            .collect();
        let size_of = |seed: u64| SIZES[(seed % 3) as usize];
        let objects = seeds
            .iter()
            .map(|&seed| object::object(&mut Random(seed), size_of(seed).2));
        let objects: Vec<object::Object> = objects.collect();
        let data = seeds.iter().zip(&objects).map(|(seed, object)| {
            interpreted::argument(object).filter(|_| !seed.is_multiple_of(COMPILED))
        });
        let data: Vec<Option<String>> = data.collect();
        let as_code = objects.iter().zip(&data).filter(|(_, data)| data.is_none());
        let as_code: Vec<&object::Object> = as_code.map(|(object, _)| object).collect();
        let code = match as_code.is_empty() {
            true => PathBuf::new(),
            false => tool.compile(
                "scenarios",
                &object::text(as_code.iter().copied()),
                &["-g0"],
            ),
        };
        compiled += as_code.len();
        let mut numbers = 0..as_code.len();
        for ((seed, object), data) in seeds.iter().zip(&objects).zip(data) {
            let (threads, calls, _) = size_of(*seed);
            let (question, word) = QUESTIONS[(seed / 3 % 4) as usize];
            let expected = brute::is_explained(object, threads, calls, question);
            let (binary, which) = match data {
                Some(data) => (&of_data, data),
                None => (&code, numbers.next().expect("it is compiled").to_string()),
            };
            let arguments = [
                which,
                format!("--dpor-scenario={threads}x{calls}"),
                format!("--dpor-check={word}"),
            ];
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let mut options = QUIETLY.to_vec();
            if !seed.is_multiple_of(ALL_REDUCTIONS) {
                options.push(WITHOUT_OBSERVERS);
            }
            let report = tool.check(binary, &options, &arguments).report;
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
    println!(
        "{done} programs, {explained} of them explained, {compiled} compiled, {executions} executions"
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(explained > done / 10 && explained < done * 9 / 10);
}
