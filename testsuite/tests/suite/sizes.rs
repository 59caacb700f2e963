//! Random programs whose accesses of 1, 2, 4 and 8 bytes overlap, atomic ones and plain ones: what races, and what the
//! programs may end with, against all interleavings.
//!
//! The oracle (`sizes/oracle.rs`) runs every interleaving and knows of each byte every access; it has nothing of the
//! detector or of the search. Held against each other are whether there is a race, whether those that are reported
//! are among those of the oracle, and without races what the execution ends with.
//!
//! `DPOR_TEST_RANDOM=N` runs N programs instead of 60, `DPOR_TEST_SEED=N` begins at another seed.
//! `cargo xtask oracle --kind sizes` runs many.

mod oracle;
mod program;

use dpor_report::{FindingKind, Report, Verdict};
use dpor_testsuite::tool::Tool;
use oracle::{Ends, Lines};
use std::collections::BTreeSet;

/// Programs in a normal run.
const PROGRAMS: u64 = 60;
/// Programs that are compiled at once.
const BATCH: u64 = 250;
/// How a program is searched: its seed says which.
const WAYS: [&[&str]; 3] = [&[], &["--reductions=none"], &["--search=classic"]];

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// The lines of each race, the smaller one first.
fn raced(report: &Report) -> BTreeSet<Lines> {
    let races = report.findings.iter();
    let races = races.filter(|finding| finding.kind == FindingKind::DataRace);
    let lines = races.map(|race| {
        let mut lines = [race.accesses[0].place.line, race.accesses[1].place.line];
        lines.sort_unstable();
        (lines[0], lines[1])
    });
    lines.collect()
}

fn ends(report: &Report) -> Ends {
    let value = |all: &std::collections::BTreeMap<String, i64>, name: &str| all[name];
    let all = report.outcomes.iter().map(|outcome| {
        let names = program::OBSERVED.iter();
        names.map(|name| value(&outcome.values, name)).collect()
    });
    all.collect()
}

/// In words what a report has otherwise than the oracle.
fn difference(expected: &oracle::Expected, report: &Report) -> Option<String> {
    let found = raced(report);
    if report.verdict == Verdict::Unsupported || report.verdict == Verdict::Incomplete {
        return Some(format!("{}: {:?}", report.verdict, report.reason));
    }
    if found.is_empty() != expected.races.is_empty() {
        let all = &expected.races;
        return Some(format!("races {found:?}, where the oracle has {all:?}"));
    }
    let invented: Vec<&Lines> = found.difference(&expected.races).collect();
    if !invented.is_empty() {
        return Some(format!("no races: {invented:?}"));
    }
    let ends = ends(report);
    let differ = expected.races.is_empty() && ends != expected.ends;
    differ.then(|| format!("ends {ends:?}\nwhere the oracle has {:?}", expected.ends))
}

#[test]
fn accesses_of_all_sizes_race_and_conflict_by_their_bytes() {
    let first = number("DPOR_TEST_SEED", 1);
    let count = number("DPOR_TEST_RANDOM", PROGRAMS);
    let (mut done, mut racy, mut different_ends, mut wrong) = (0, 0, 0, Vec::new());
    let mut seeds = first..;
    while done < count {
        let tool = Tool::new("sizes");
        let size = BATCH.min(count - done);
        let fits = |seed: u64| Some((seed, program::small(seed)?));
        let chosen: Vec<_> = seeds
            .by_ref()
            .filter_map(fits)
            .take(size as usize)
            .collect();
        let text = program::text(chosen.iter().map(|(_, program)| program));
        let binary = tool.compile("sizes", &text.whole, &["-O0"]);
        for (index, (seed, program)) in chosen.iter().enumerate() {
            let expected = oracle::run(program, &text.lines[index]);
            let way = WAYS[*seed as usize % WAYS.len()];
            let options = [&["-k", "--outcomes", "--minimize-time=0"], way].concat();
            let checked = tool.check(&binary, &options, &[&index.to_string()]);
            if let Some(what) = difference(&expected, &checked.report) {
                let wrongly = format!("seed {seed}, {way:?}: {what}\n{program:#?}");
                println!("{wrongly}");
                wrong.push(wrongly);
            }
            racy += u64::from(!expected.races.is_empty());
            if expected.races.is_empty() {
                different_ends += expected.ends.len();
            }
        }
        done += size;
    }
    println!("{done} programs, {racy} with races, {different_ends} ends of the others");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(racy > done / 10 && racy < done * 9 / 10 && different_ends as u64 > done - racy);
}
