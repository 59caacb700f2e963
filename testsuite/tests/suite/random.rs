//! Random programs: the way a state is taken back must not show, and no outcome may be missed.
//!
//! `DPOR_TEST_RANDOM=N` runs N programs instead of 30, `DPOR_TEST_SEED=N` begins at another seed.

use dpor_report::{FindingKind, Report, Verdict};
use dpor_testsuite::random;
use dpor_testsuite::tool::Tool;
use dpor_testsuite::verify;
use std::collections::{BTreeMap, BTreeSet};

/// Programs in a normal run.
const PROGRAMS: u64 = 30;
/// Interleavings up to which a program is compared with `--search=dfs`.
const DFS_MAX: &str = "--max-executions=20000";
/// A program with more traces than this is left: the small ones say as much.
const TRACES_MAX: &str = "--max-executions=3000";

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// What compilers, checkpoints and searches may not change about a program without races.
fn outcomes(report: &Report) -> BTreeSet<BTreeMap<String, i64>> {
    report.outcomes.iter().map(|o| o.values.clone()).collect()
}

fn outputs(report: &Report) -> BTreeMap<&str, usize> {
    let mut all = BTreeMap::new();
    for output in &report.output {
        *all.entry(output.stdout.as_str()).or_insert(0) += 1;
    }
    all
}

fn races(report: &Report) -> bool {
    report
        .findings
        .iter()
        .any(|f| f.kind == FindingKind::DataRace)
}

#[test]
fn checkpoints_and_searches_agree() {
    let tool = Tool::new("random");
    let seeds: Vec<u64> = (0..number("DPOR_TEST_RANDOM", PROGRAMS))
        .map(|i| number("DPOR_TEST_SEED", 1) + i)
        .collect();
    let binary = tool.compile("random", &random::programs(&seeds), &[]);
    let mut with_dfs = 0;
    let mut clean = 0;
    let mut wrong = Vec::new();
    for (index, seed) in seeds.iter().enumerate() {
        let argument = index.to_string();
        let run = |options: &[&str]| {
            let mut all = vec![
                "-k",
                "--outcomes",
                "--reductions=none",
                "--checkpoint-after=3",
                // Nobody looks at the schedules.
                "--minimize-time=0",
            ];
            all.extend(options);
            tool.check(&binary, &all, &[&argument]).report
        };
        let mut say = |what: String| wrong.push(format!("seed {seed}: {what}"));
        let snapshot = run(&[TRACES_MAX, "--output=all"]);
        let restart = run(&[TRACES_MAX, "--output=all", "--checkpoint=restart"]);
        for difference in verify::disagreements(&snapshot, &restart) {
            say(format!("snapshot and restart: {difference}"));
        }
        if outputs(&snapshot) != outputs(&restart) {
            say("snapshot and restart: outputs differ".to_owned());
        }
        if snapshot.executions.redundant != 0 {
            say(format!("{:?}", snapshot.executions));
        }
        if snapshot.verdict == Verdict::Unsupported {
            say(format!("unsupported: {:?}", snapshot.reason));
        }
        if snapshot.reason.is_some() {
            continue;
        }
        clean += u64::from(!races(&snapshot));
        let dfs = run(&["--search=dfs", DFS_MAX]);
        if dfs.reason.is_some() {
            continue;
        }
        with_dfs += 1;
        if races(&dfs) != races(&snapshot) {
            say("dfs and optimal: only one finds a race".to_owned());
        }
        // With a race, what a plain read sees is not a matter of the trace.
        if !races(&dfs) && outcomes(&dfs) != outcomes(&snapshot) {
            let (d, o) = (outcomes(&dfs), outcomes(&snapshot));
            say(format!(
                "dfs has {} outcomes, optimal {}; only dfs: {:?}; only optimal: {:?}",
                d.len(),
                o.len(),
                d.difference(&o).next(),
                o.difference(&d).next()
            ));
        }
    }
    println!(
        "{} programs, {clean} without races, {with_dfs} compared with dfs",
        seeds.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A generator that makes only huge or only racy programs would compare nothing.
    assert!(with_dfs * 3 >= seeds.len() && clean * 4 >= seeds.len() as u64);
}
