//! What the pass leaves out must not matter: every program once as usual and once with every
//! variable taken for shared. Counts, findings and outcomes are equal. Half of the programs are dealt, one
//! revision of each (`deal`); `DPOR_TEST_EACH=1`: all that differ in what is compiled.

use dpor_report::{Executions, FindingKind, Report};
use dpor_testsuite::deal::{self, Version};
use dpor_testsuite::header::{self, Header, Mode};
use dpor_testsuite::tool::Tool;
use dpor_testsuite::trial::Trial;
use dpor_testsuite::{random, verify};

/// Programs that differ by more than what is instrumented, and why.
const LEFT_OUT: [(&str, &str); 7] = [
    (
        "signals/fault.c",
        "where its stack ends, an access to a variable that is shared is the runtime's",
    ),
    (
        "bugs/stack_overflow.c",
        "its volatile local variables are events if shared",
    ),
    (
        "await/busy.c",
        "its volatile local variables are events if shared",
    ),
    ("runtime/step_limit.c", "ends by time"),
    ("runtime/long_loop.c", "ends by time"),
    ("signals/watchdog.c", "works for longer than a timer"),
    (
        "reductions/unseen_number.c",
        "if its blocks are shared, libc may read through them what the threads store",
    ),
];

/// Programs whose executions are cut elsewhere: a loop's own variables may be others' if shared, so that its turns in vain
/// are left out, and counted as blocked, where the loop else waits or goes round. What they find is the same. So it is where
/// tens of thousands of executions come before the first bug, in an order that follows from the events there are.
const CUT_ELSEWHERE: [&str; 6] = [
    "await/cxx.cc",
    "await/dijkstra.c",
    "await/left_out.c",
    "await/store_first.c",
    "await/ttas.c",
    "scenarios/aba.cc",
];

/// In so many parts, which run side by side.
const PARTS: usize = 4;

#[test]
fn programs_are_the_same_with_everything_shared_1() {
    compare(0);
}

#[test]
fn programs_are_the_same_with_everything_shared_2() {
    compare(1);
}

#[test]
fn programs_are_the_same_with_everything_shared_3() {
    compare(2);
}

#[test]
fn programs_are_the_same_with_everything_shared_4() {
    compare(3);
}

fn compare(part: usize) {
    let mut all = deal::files();
    all.retain(|file| !LEFT_OUT.iter().any(|(name, _)| file.ends_with(name)));
    all.retain(|file| deal::is_of_half(file, deal::is_each()));
    let all = all.into_iter().skip(part).step_by(PARTS);
    let newest = Version {
        llvm: Tool::new(&format!("escape-{part}")).llvm(),
        is_full: true,
    };
    let mut compared = 0;
    let mut wrong = Vec::new();
    for file in all {
        let text = std::fs::read_to_string(&file).expect("the program is readable");
        let headers = header::parse(&text).expect("the header is right");
        let dealt = deal::trials(&file, &headers, &[newest], false);
        for header in deal::one_of(&file, comparable(&headers), deal::is_each()) {
            let is_its = |trial: &&Trial| {
                trial.header.revision == header.revision && trial.level == header.levels[0]
            };
            let Some(usual) = dealt.iter().find(is_its) else {
                continue;
            };
            let usual = Trial {
                apart: true,
                ..usual.clone()
            };
            let shared = Trial {
                shared_all: true,
                ..usual.clone()
            };
            match (usual.measure(), shared.measure()) {
                (Ok(one), Ok(other)) => {
                    let ends = CUT_ELSEWHERE.iter().any(|name| file.ends_with(name));
                    let differences = differences(one, other, ends);
                    if !differences.is_empty() {
                        wrong.push(format!("{}: {differences:?}", usual.name()));
                    }
                }
                (one, other) => wrong.push(format!("{}: {one:?} {other:?}", usual.name())),
            }
            compared += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 80 / PARTS, "only {compared} programs");
}

/// What differs between two reports of one program of which one has more events: each access to what is no other's. How
/// long a witness is follows from that, and whether a thread has something to do when main returns. `ends`: where
/// executions are cut is not compared either, only what they found.
fn differences(mut one: Report, mut other: Report, ends: bool) -> Vec<String> {
    for report in [&mut one, &mut other] {
        report
            .findings
            .retain(|finding| finding.kind != FindingKind::MainExitsEarly);
        report.findings.iter_mut().for_each(|f| f.trace.clear());
        if ends {
            report.executions = Executions::default();
            report.outcomes.iter_mut().for_each(|o| o.executions = 0);
        }
    }
    verify::disagreements(&one, &other)
}

/// Revisions that are to be the same: each that is another binary.
fn comparable(headers: &[Header]) -> Vec<&Header> {
    let mut all: Vec<&Header> = Vec::new();
    for header in headers {
        // Large counts say nothing more here.
        let large = header.executions.is_some_and(|e| e.total() > 1_000);
        // Whether threads are alike depends on what lies between their creations.
        let symmetry = header.args.iter().any(|arg| arg.contains("symmetry"));
        let is_known = all.iter().any(|one| one.cflags == header.cflags);
        if header.mode == Mode::Check && !large && !symmetry && !is_known {
            all.push(header);
        }
    }
    all
}

#[test]
fn random_programs_are_the_same_with_everything_shared() {
    let tool = Tool::new("escape");
    let seeds: Vec<u64> = (500..520).collect();
    let text = random::programs(&seeds);
    let usual = tool.compile("usual", &text, &[]);
    let shared = tool.compile_with("shared", &text, &[], &[("DPOR_PASS", "shared-all")]);
    for (index, seed) in seeds.iter().enumerate() {
        let check = |binary| {
            let options = [
                "-k",
                "--outcomes",
                "--max-executions=3000",
                "--minimize-time=0",
            ];
            tool.check(binary, &options, &[&index.to_string()]).report
        };
        let differences = verify::disagreements(&check(&usual), &check(&shared));
        assert!(differences.is_empty(), "seed {seed}: {differences:?}");
    }
}
